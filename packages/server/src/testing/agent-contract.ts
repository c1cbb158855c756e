import type { Agent, AgentPart, ChatEvent, NewEvent, ToolOffer, TurnInput } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';

/** Messages that trigger the behaviour of the agent under test. */
export interface AgentCues {
  /** Makes it answer in words. */
  readonly talk: string;
  /** Makes it call the tool `echo`. */
  readonly call: string;
  /** Makes it write for longer than a test lasts. */
  readonly ramble: string;
}

type Call = Extract<AgentPart, { type: 'tool_call' }>;

const sessionId = 'session-1';
const turnId = 'turn-1';
const responseId = 'response-1';
const echo: ToolOffer = { name: 'echo', description: 'Returns its arguments.', parameters: { type: 'object' } };

/** Tests the contract of every agent. `make` returns a fresh one each time, so that an agent cannot rely on memory. */
export function testAgent(name: string, make: () => Agent, cues: AgentCues): void {
  describe(`agent contract: ${name}`, () => {
    test('[AGT2] it answers words with words, and the turn ends', async () => {
      const parts = await collect(make(), scriptTurn(cues.talk));
      expect(textOf(parts)).not.toBe('');
      expect(callsOf(parts)).toEqual([]);
    });

    test('[AGT2] it calls the tool it is offered', async () => {
      const calls = callsOf(await collect(make(), scriptTurn(cues.call)));
      expect(calls.map((call) => call.toolName)).toContain('echo');
    });

    test('[DUR7] another process continues from the log: it speaks after the results and repeats no call', async () => {
      const written = await collect(make(), scriptTurn(cues.call));
      const record = written.findLast((part) => part.type === 'record')?.value;
      const turn = scriptTurn(cues.call, ...returnAll(callsOf(written)));
      const parts = await collect(make(), { ...turn, responseId: 'response-2', record: async () => record });
      expect(textOf(parts)).not.toBe('');
      expect(callsOf(parts)).toEqual([]);
    });

    test('[INT11] it stops when it is aborted', async () => {
      const stop = new AbortController();
      const parts = make().run(scriptTurn(cues.ramble), stop.signal)[Symbol.asyncIterator]();
      expect((await parts.next()).done).toBe(false);
      stop.abort();
      await finish(parts);
    });
  });
}

/** Makes a turn in the log: its message, its start and what followed, with history before it. */
export function scriptTurn(
  message: string | Partial<ChatEvent<'user_message'>['payload']>,
  ...since: NewEvent[]
): TurnInput {
  const payload = { messageId: 'm2', text: '', origin: 'user' as const };
  const asked = { ...payload, ...(typeof message === 'string' ? { text: message } : message) };
  const log = [
    { type: 'user_message', payload: { ...payload, messageId: 'm1', text: 'earlier' }, turnId: 'turn-0' },
    { type: 'turn_start', payload: { trigger: 'user', agent: 'test', owner: 'node' }, turnId: 'turn-0' },
    { type: 'turn_end', payload: { status: 'completed' }, turnId: 'turn-0' },
    { type: 'user_message', payload: asked, turnId },
    { type: 'turn_start', payload: { trigger: asked.origin, agent: 'test', owner: 'node' }, turnId },
    ...since.map((event) => ({ turnId, ...event })),
  ].map((event, index) => place(event as NewEvent, index + 1));
  return {
    sessionId,
    turnId,
    responseId,
    model: undefined,
    permissionMode: 'default',
    tools: [echo],
    startSeq: 5,
    record: async () => undefined,
    openFile: async () => undefined,
    read: async (afterSeq = 0) => log.filter((event) => event.seq > afterSeq),
  };
}

/** Collects everything that an agent writes in one message. */
export async function collect(agent: Agent, turn: TurnInput): Promise<AgentPart[]> {
  const parts: AgentPart[] = [];
  for await (const part of agent.run(turn, new AbortController().signal)) parts.push(part);
  return parts;
}

/** Joins the text of a message, without its thinking. */
export function textOf(parts: readonly AgentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

export function callsOf(parts: readonly AgentPart[]): Call[] {
  return parts.filter((part) => part.type === 'tool_call');
}

function place(event: NewEvent, seq: number): ChatEvent {
  return { ...event, seq, id: `event-${seq}`, sessionId, timestamp: '2026-01-01T00:00:00.000Z', v: 1 } as ChatEvent;
}

function returnAll(calls: readonly Call[]): NewEvent[] {
  const named = calls.map((call, n) => ({ ...call, toolCallId: call.toolCallId ?? `call-${n}` }));
  return [
    ...named.map(
      ({ toolCallId, toolName, args }): NewEvent => ({
        type: 'tool_call',
        payload: { toolCallId, toolName, args, authorised: { by: 'tool' } },
        responseId,
      }),
    ),
    ...named.map(
      ({ toolCallId, toolName }): NewEvent => ({
        type: 'tool_result',
        payload: { toolCallId, toolName, result: { ok: true } },
      }),
    ),
  ];
}

/** Lets a stopped agent finish: it may return or throw, but must not continue. */
async function finish(parts: AsyncIterator<AgentPart>): Promise<void> {
  const rest = async () => {
    for (let left = 100; left > 0; left -= 1) if ((await parts.next()).done) return;
    throw new Error('The agent goes on after the stop.');
  };
  await rest().catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('The agent goes on')) throw error;
  });
}
