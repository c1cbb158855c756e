import type { ClientFrame, InteractionRequest, ServerFrame } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { AcpAgent } from './acp-agent.ts';

type Message = Readonly<Record<string, unknown>>;

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** An agent whose server and client are the test. */
class Stage {
  readonly toServer: Record<string, unknown>[] = [];
  readonly toClient: Message[] = [];
  readonly agent = new AcpAgent({
    log: quiet,
    pageUrl: 'http://127.0.0.1:7420',
    toServer: (frame) => this.toServer.push(JSON.parse(frame)),
    toClient: (text) => this.toClient.push(JSON.parse(text)),
  });

  /** Opens a session with a prompt. */
  static async open(interaction: object): Promise<Stage> {
    const stage = new Stage();
    stage.send({ id: 'i', method: 'initialize', params: { protocolVersion: 1, clientInfo: { name: 'ed' } } });
    const principal = { id: 'ann', role: 'operator' };
    stage.receive({ type: 'welcome', server: { name: 'parley', version: '1' }, principal });
    await settled();
    stage.send({ id: 's', method: 'session/resume', params: { sessionId: 's1', cwd: '/' } });
    await settled();
    await stage.reply('set_interaction_mode');
    await stage.reply('subscribe');
    const prompt = { request: interaction, state: 'open' };
    const head = { seq: 1, turn: null, calls: [], prompts: [prompt], queue: [], lateAnswers: [] };
    const session = { id: 's1', title: 'One', permissionMode: 'default', updatedAt: '' };
    stage.receive({ type: 'snapshot', sessionId: 's1', epoch: 'e', seq: 1, session, head, streams: [] });
    stage.receive({ type: 'live', sessionId: 's1', seq: 1 });
    await settled();
    await settled();
    return stage;
  }

  send(message: object): void {
    this.agent.fromClient(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  receive(frame: object): void {
    this.agent.fromServer(JSON.stringify(frame as ServerFrame));
  }

  /** Accepts the newest frame of a type. */
  async reply(type: ClientFrame['type']): Promise<void> {
    const { requestId } = this.toServer.findLast((frame) => frame.type === type) ?? {};
    this.receive({ type: 'reply', requestId, ok: true });
    await settled();
  }

  get answers(): readonly Message[] {
    return this.toServer.filter(({ type }) => type === 'tool_interaction_response');
  }
}

const approval: Partial<InteractionRequest> = {
  ...{ interactionType: 'approval', toolCallId: 'c1', interactionId: 'c1.1', toolName: 'deploy', digest: 'd1' },
  ...{ approvalScopes: ['once', 'session'], source: { kind: 'tool', name: 'deploy' } },
};

test('[ACP3, FRM2] the first frame is a hello with the name of the editor and no token', async () => {
  const { toServer } = await Stage.open(approval);
  expect(toServer[0]).toEqual({ type: 'hello', protocol: 1, label: 'ed' });
});

test('[ACP3] an answer carries the digest that was shown', async () => {
  const stage = await Stage.open(approval);
  const { id } = stage.toClient.find(({ method }) => method === 'session/request_permission') as Message;
  stage.send({ id, result: { outcome: { outcome: 'selected', optionId: 'session' } } });
  expect(stage.answers).toMatchObject([
    { sessionId: 's1', callId: 'c1', interactionId: 'c1.1', digest: 'd1', action: 'approve', approvalScope: 'session' },
  ]);
});

/** A repeatable sequence of numbers from 0 up to, but not including, a bound. */
function makeRandom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * bound);
  };
}

const words = ['once', 'session', 'always', 'deny', 'Allow once', '__proto__', '', 'selected', 'cancelled', 'accept'];

/** Makes JSON that resembles an answer more or less. */
function makeResult(random: (bound: number) => number, depth = 0): unknown {
  const pick = (): unknown => words[random(words.length)];
  const kind = random(depth > 2 ? 3 : 7);
  if (kind < 2) return pick();
  if (kind === 2) return [null, true, 0, []][random(4)];
  if (kind === 3) return [makeResult(random, depth + 1)];
  if (kind === 4) return { outcome: makeResult(random, depth + 1), optionId: pick() };
  return { outcome: { outcome: pick(), optionId: pick() } };
}

test('[ACP3, APR6] of five hundred answers only those that choose an offered option answer', async () => {
  const random = makeRandom(7);
  let answered = 0;
  for (let run = 0; run < 500; run += 1) {
    const stage = await Stage.open(approval);
    const { id } = stage.toClient.find(({ method }) => method === 'session/request_permission') as Message;
    const result = makeResult(random);
    stage.send({ id, result });
    const { outcome } = (result ?? {}) as { outcome?: { outcome?: unknown; optionId?: unknown } };
    const isChoice = outcome?.outcome === 'selected' && ['once', 'session', 'deny'].includes(String(outcome.optionId));
    expect(stage.answers, JSON.stringify(result)).toHaveLength(isChoice ? 1 : 0);
    answered += stage.answers.length;
  }
  expect(answered).toBeGreaterThan(0);
});

test('[ACP3] every request gets one response, whatever it is', async () => {
  const random = makeRandom(11);
  const methods = ['initialize', 'session/new', 'session/load', 'session/list', 'session/prompt', 'x', '__proto__', ''];
  const stage = await Stage.open(approval);
  for (let id = 0; id < 500; id += 1) {
    const params = { sessionId: 's2', cwd: makeResult(random), prompt: makeResult(random), cursor: makeResult(random) };
    stage.send({ id, method: methods[random(methods.length)], params: random(3) === 0 ? makeResult(random) : params });
    await settled();
    const error = { code: 'forbidden', message: 'No.' };
    for (const { requestId } of stage.toServer.splice(0)) stage.receive({ type: 'reply', requestId, ok: false, error });
    await settled();
    expect(stage.toClient.filter((message) => message.id === id && !('method' in message))).toHaveLength(1);
  }
});
