import {
  definePlugin,
  type InteractionDemand,
  type InteractionRequest,
  type Tool,
  type ToolContext,
} from '@parleyhq/core';
import { beforeEach, expect, test, vi } from 'vitest';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';
import { toPlainLog, waitForSessions, waitForSleeps } from './sleeps.ts';

let local: LocalServer;
let tab: Tab;
let session: string;
/** Runs of the handlers, in order. */
let did: string[];
const keys = makePushKeys();

const wait = { timeoutMs: null, onUnavailable: 'wait' } as const;
const approval = { type: 'approval', ...wait } as const;
/** Longer than a session of these tests needs to leave memory. */
const afterLeaving = 4000;

function tool(name: string, run: (ctx: ToolContext) => unknown, more: Partial<Tool> = {}): Tool {
  const handler = (_: unknown, ctx: ToolContext) => {
    did.push(name);
    return run(ctx);
  };
  return { name, description: 'Asks.', parameters: { type: 'object' }, hibernates: true, handler, ...more };
}

const ask = async (ctx: ToolContext, demand: object = {}) =>
  ((await ctx.requestInteraction({ ...approval, ...demand } as InteractionDemand)) as { action: string }).action;

const asker = definePlugin({
  name: 'asker',
  tools: [
    tool('plain', (ctx) => ask(ctx)),
    tool('twice', async (ctx) => [await ask(ctx), await ask(ctx)]),
    tool('awake', (ctx) => ask(ctx), { hibernates: false }),
    tool('brief', (ctx) => ctx.requestInteraction({ ...approval, timeoutMs: afterLeaving } as InteractionDemand)),
    tool('escalating', (ctx) =>
      ask(ctx, {
        audience: { role: 'operator' },
        escalate: [{ afterMs: afterLeaving, audience: { role: 'responder' } }],
      }),
    ),
    tool('hook', async (ctx) => {
      ctx.progress(await ctx.callback('hook'));
      return ctx.waitFor('hook');
    }),
    tool('hook_briefly', async (ctx) => {
      await ctx.callback('hook');
      return ctx.waitFor('hook', undefined, { timeoutMs: afterLeaving });
    }),
    tool('granted', (ctx) => ctx.approve({ key: 'same', title: 'Same?', scopes: ['once', 'always'], ...wait })),
  ],
});

beforeEach(() => start(50));

async function start(sessionIdleMs: number): Promise<void> {
  did = [];
  local = await startLocalServer({
    plugins: [asker],
    reach: { keys },
    durations: { hibernateAfterMs: 50, sessionIdleMs, restartGraceMs: 300, stopMs: 200 },
  });
  await begin();
}

async function begin(): Promise<void> {
  tab = await local.open();
  session = await tab.createSession();
  await tab.follow(session);
}

async function call(name: string): Promise<InteractionRequest> {
  await tab.say(session, `/call ${name} {}`);
  return tab.prompt(session);
}

/** Closes the session's only tab, and waits until only `others` are in memory. */
async function leave(others = 0): Promise<void> {
  await tab.ask({ type: 'unsubscribe', sessionId: session });
  await waitForSessions(local.url, others);
}

const result = async () => (await tab.event(session, 'tool_result')).payload;
const types = () => tab.events(session).map(({ type }) => type);

test('[DUR10] a session whose calls sleep leaves memory, and its log is that of one that stays', async () => {
  const tell = async (rest: () => Promise<void>) => {
    const first = await call('twice');
    await rest();
    await tab.answer(session, first, { action: 'approve' });
    await tab.follow(session);
    const { seq } = await tab.event(session, 'interaction_response');
    const second = await tab.prompt(session, seq);
    await rest();
    await tab.answer(session, second, { action: 'deny' });
    await tab.follow(session);
    await tab.event(session, 'turn_end');
    return toPlainLog(tab.events(session));
  };
  const left = await tell(leave);
  expect(did).toEqual(['twice', 'twice', 'twice']);
  await begin();
  expect(left).toEqual(await tell(async () => void (await tab.ask({ type: 'unsubscribe', sessionId: session }))));
});

test('[DUR10] a session that was opened again leaves memory again', async () => {
  const prompt = await call('plain');
  for (let n = 0; n < 2; n += 1) {
    await leave();
    await tab.follow(session);
    expect(did).toEqual(['plain']);
  }
  await tab.answer(session, prompt, { action: 'approve' });
  expect(await result()).toMatchObject({ result: 'approve' });
});

test('[DUR10, INT10] the deadline of a session that left memory is kept', async () => {
  await call('brief');
  await leave();
  await tab.until(({ type }) => type === 'interaction_settled');
  await tab.follow(session);
  expect(await result()).toMatchObject({ result: { ok: false, error: 'timeout' } });
});

test('[DUR10, TEAM5] an escalation brings a session back into memory, but wakes no call', async () => {
  await call('escalating');
  await leave();
  const before = tab.frames.length;
  await vi.waitFor(
    () => expect(tab.frames.slice(before).some(({ type }) => type === 'session_updated')).toBe(true),
    20_000,
  );
  await tab.follow(session);
  await tab.event(session, 'interaction_escalated');
  expect(did).toEqual(['escalating']);
});

test('[DUR10, INT11] a stop ends a call whose session left memory, without running its code', async () => {
  await call('plain');
  await leave();
  await tab.ask({ type: 'cancel_turn', sessionId: session });
  await tab.follow(session);
  expect(await result()).toMatchObject({ error: { code: 'cancelled' } });
  expect(did).toEqual(['plain']);
});

test('[DUR10, PLG11] what is posted to a callback brings its session back', async () => {
  await tab.say(session, '/call hook {}');
  const frame = await tab.until((each) => each.type === 'stream' && each.kind === 'tool_output');
  await leave();
  const headers = { 'content-type': 'application/json' };
  await fetch((frame as { text: string }).text, { method: 'POST', headers, body: '{"paid":true}' });
  await tab.follow(session);
  expect(await result()).toMatchObject({ result: { paid: true } });
});

test('[DUR10, PLG11] a call that waits for a callback until a time stays in memory, and wakes then', async () => {
  await tab.say(session, '/call hook_briefly {}');
  await waitForSleeps(local.url, 1);
  await tab.ask({ type: 'unsubscribe', sessionId: session });
  await vi.waitFor(() => expect(did).toHaveLength(2), 2 * afterLeaving);
});

test('[DUR10, APR4] a lasting grant answers the prompts that it covers in sessions out of memory', async () => {
  await call('granted');
  await leave();
  const left = session;
  await begin();
  const prompt = await call('granted');
  await tab.answer(session, prompt, { action: 'approve', approvalScope: 'always', digest: prompt.digest });
  session = left;
  await tab.follow(session);
  expect(await result()).toMatchObject({ result: { approved: true } });
});

test('[DUR10] a call that does not hibernate keeps its session in memory', async () => {
  const prompt = await call('awake');
  const kept = session;
  await tab.ask({ type: 'unsubscribe', sessionId: kept });
  await begin();
  await call('plain');
  await leave(1);
  await tab.answer(kept, prompt, { action: 'approve' });
  session = kept;
  await tab.follow(session);
  expect(await result()).toMatchObject({ result: 'approve' });
  expect(did).toEqual(['awake', 'plain']);
});

test('[DUR10, OPS3] what slept through a start leaves memory, and the next answer wakes it once', async () => {
  const prompt = await call('plain');
  await leave();
  await local.restart();
  tab = await local.open();
  await waitForSessions(local.url, 0);
  await tab.answer(session, prompt, { action: 'approve' });
  await tab.follow(session);
  expect(await result()).toMatchObject({ result: 'approve' });
  await tab.event(session, 'turn_end');
  expect(types().filter((type) => type === 'turn_resumed')).toHaveLength(1);
  expect(did).toEqual(['plain', 'plain']);
});

test('[DUR10] a start shows the prompts of sleeping calls, and keeps none of their sessions in memory', async () => {
  await start(600_000);
  const prompt = await call('plain');
  await local.restart();
  tab = await local.open();
  expect((await tab.waitFor('welcome')).open).toMatchObject([{ interaction: { interactionId: prompt.interactionId } }]);
  await waitForSessions(local.url, 0);
  await tab.answer(session, prompt, { action: 'approve' });
  await tab.follow(session);
  expect(await result()).toMatchObject({ result: 'approve' });
});

test('[DUR10, DUR6] a start loads the sessions whose calls are not asleep, and enters these', async () => {
  await start(600_000);
  const prompt = await call('awake');
  await local.restart();
  await vi.waitFor(() => expect(did).toEqual(['awake', 'awake']));
  await waitForSessions(local.url, 1);
  tab = await local.open();
  await tab.answer(session, prompt, { action: 'approve' });
  await tab.follow(session);
  expect(await result()).toMatchObject({ result: 'approve' });
});
