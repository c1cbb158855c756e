import {
  definePlugin,
  type InteractionAnswer,
  type InteractionDemand,
  type InteractionRequest,
  type Tool,
  type ToolContext,
} from '@parleyhq/core';
import { beforeEach, expect, test, vi } from 'vitest';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';
import { countSleeps, toPlainLog, waitForSleeps } from './sleeps.ts';

let local: LocalServer;
let tab: Tab;
let session: string;
/** Runs of the handlers and hooks, in order. */
let did: string[];
const keys = makePushKeys();

const wait = { timeoutMs: null, onUnavailable: 'wait' } as const;
const approval = { type: 'approval', ...wait } as const;
const secret = { type: 'form', fields: [{ id: 'pin', type: 'secret' }] };

function tool(name: string, run: (ctx: ToolContext) => unknown, more: Partial<Tool> = {}): Tool {
  const handler = (_: unknown, ctx: ToolContext) => {
    did.push(name);
    return run(ctx);
  };
  return { name, description: 'Asks.', parameters: { type: 'object' }, hibernates: true, handler, ...more };
}

const ask = async (ctx: ToolContext, demand: object = {}) =>
  ((await ctx.requestInteraction({ ...approval, ...demand } as InteractionDemand)) as { action: string }).action;
const put = { pending: { message: 'Put off.' } };
/** Longer than a session of these tests needs to fall asleep. */
const afterSleep = 4000;

const asker = definePlugin({
  name: 'asker',
  tools: [
    tool('plain', (ctx) => ask(ctx)),
    tool('other', (ctx) => ask(ctx)),
    tool('busy', (ctx) => ask(ctx), { hibernates: false }),
    tool('twice', async (ctx) => {
      const at = ctx.now();
      const id = await ctx.step('once', () => did.push('step'));
      const first = await ask(ctx, { onResponse: ({ action }: InteractionAnswer) => ({ complete: { action } }) });
      return [first, await ask(ctx), id, at === ctx.now() || 'later'];
    }),
    tool('branches', (ctx) =>
      Promise.all(['a', 'b'].map(async (key) => [await ask(ctx, { key }), await ask(ctx, { key: `${key}2` })])),
    ),
    tool('brief', (ctx) => ctx.requestInteraction({ ...approval, timeoutMs: afterSleep } as InteractionDemand)),
    tool('decided', (ctx) =>
      ctx.requestInteraction({
        ...approval,
        timeoutMs: afterSleep,
        onTimeout: () => ({ complete: 'decided' }),
      } as InteractionDemand),
    ),
    tool('hook_briefly', async (ctx) => {
      await ctx.callback('hook');
      return ctx.waitFor('hook', undefined, { timeoutMs: afterSleep });
    }),
    tool('hook', async (ctx) => {
      ctx.progress(await ctx.callback('hook'));
      return ctx.waitFor('hook');
    }),
    tool('cancelled', (ctx) => ask(ctx, { onCancel: () => void did.push('onCancel') })),
    tool('pin', (ctx) => ask(ctx, { type: 'input', inputSchema: secret })),
    tool('late', async (ctx) => {
      await ask(ctx, { onResponse: () => put, onLateResponse: () => ({ text: 'worded' }) });
      return ask(ctx);
    }),
    tool('asks_out', (ctx) => ask(ctx), { asking: true }),
  ],
});

beforeEach(async () => {
  did = [];
  await start(50);
});

async function start(hibernateAfterMs: number): Promise<void> {
  local = await startLocalServer({
    plugins: [asker],
    reach: { keys },
    durations: { hibernateAfterMs, restartGraceMs: 300, stopMs: 200 },
  });
  tab = await local.open();
  await begin();
}

async function begin(): Promise<void> {
  session = await tab.createSession();
  await tab.follow(session);
}

async function call(name: string, after = 0): Promise<InteractionRequest> {
  await tab.say(session, `/call ${name} {}`);
  return tab.prompt(session, after);
}

const sleeps = (count: number) => waitForSleeps(local.url, count);

const result = async (after = 0) => (await tab.event(session, 'tool_result', ({ seq }) => seq > after)).payload;
const end = () => tab.event(session, 'turn_end');
const seqNow = () => tab.events(session).at(-1)?.seq ?? 0;

/** Stories that run once with a server that lets calls sleep, and once with one that does not. `rest` waits for that sleep. */
const stories: Record<string, { readonly runs: number; tell(rest: (count: number) => Promise<void>): Promise<void> }> =
  {
    'an answer': {
      runs: 2,
      async tell(rest) {
        const prompt = await call('plain');
        await rest(1);
        await tab.answer(session, prompt, { action: 'approve' });
      },
    },
    'an answer at each of two questions with a step before': {
      runs: 3,
      async tell(rest) {
        const first = await call('twice');
        await rest(1);
        const seq = seqNow();
        await tab.answer(session, first, { action: 'approve' });
        const second = await tab.prompt(session, seq);
        await rest(2);
        await tab.answer(session, second, { action: 'deny' });
      },
    },
    'answers to parallel branches': {
      runs: 5,
      async tell(rest) {
        await call('branches');
        const promptOf = async (key: string) =>
          (await tab.event(session, 'interaction_request', ({ payload }) => payload.slot === key)).payload;
        for (const [n, key] of ['a', 'b', 'b2', 'a2'].entries()) {
          const prompt = await promptOf(key);
          if (n === 1) await promptOf('a2');
          if (n === 2) await promptOf('b2');
          await rest(n + 1);
          await tab.answer(session, prompt, { action: 'approve' });
        }
      },
    },
    'a deadline': {
      runs: 2,
      async tell(rest) {
        await call('brief');
        await rest(1);
      },
    },
    'a deadline with a hook': {
      runs: 2,
      async tell(rest) {
        await call('decided');
        await rest(1);
      },
    },
    'the end of the time of a callback': {
      runs: 2,
      async tell(rest) {
        await tab.say(session, '/call hook_briefly {}');
        await rest(1);
      },
    },
    'a stop': {
      runs: 1,
      async tell(rest) {
        await call('plain');
        await rest(1);
        await tab.ask({ type: 'cancel_turn', sessionId: session });
      },
    },
  };

test.each(Object.entries(stories))(
  '[DUR10] %s ends the sleep of a call once, and the log is that of a call that stays awake',
  { timeout: 60_000 },
  async (_, { runs, tell }) => {
    await tell(sleeps);
    await end();
    const slept = toPlainLog(tab.events(session));
    const handlers = did.filter((each) => each !== 'step');
    expect(handlers).toHaveLength(runs);
    expect(did.filter((each) => each === 'step').length).toBeLessThanOrEqual(1);
    did = [];
    await start(600_000);
    await tell(async () => undefined);
    await end();
    expect(slept).toEqual(toPlainLog(tab.events(session)));
    expect(did.filter((each) => each !== 'step')).toHaveLength(1);
  },
);

test('[DUR10, PLG11] what is posted to a callback wakes the call that waits for it', async () => {
  await tab.say(session, '/call hook {}');
  const frame = await tab.until((each) => each.type === 'stream' && each.kind === 'tool_output');
  await sleeps(1);
  const headers = { 'content-type': 'application/json' };
  await fetch((frame as { text: string }).text, { method: 'POST', headers, body: '{"paid":true}' });
  expect(await result()).toMatchObject({ result: { paid: true } });
  expect(did).toEqual(['hook', 'hook']);
});

test('[DUR10] the answered one of two calls of a message wakes, and sleeps no longer than the other', async () => {
  await tab.say(session, '/call plain {}\n/call other {}');
  const promptOf = async (name: string) =>
    (await tab.event(session, 'interaction_request', ({ payload }) => payload.toolName === name)).payload;
  const [plain, other] = [await promptOf('plain'), await promptOf('other')];
  await sleeps(2);
  await tab.answer(session, plain, { action: 'approve' });
  expect(await result()).toMatchObject({ toolName: 'plain' });
  expect(did.toSorted()).toEqual(['other', 'plain', 'plain']);
  await tab.answer(session, other, { action: 'deny' });
  expect((await end()).payload.status).toBe('completed');
  expect(did.toSorted()).toEqual(['other', 'other', 'plain', 'plain']);
});

test('[DUR10, INT4] of two tabs that answer a sleeping call at once, one wins', async () => {
  const prompt = await call('plain');
  const other = await local.open();
  await other.follow(session);
  await sleeps(1);
  const replies = await Promise.all([
    tab.answer(session, prompt, { action: 'approve' }),
    other.answer(session, prompt, { action: 'deny' }),
  ]);
  expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
  await end();
  expect(tab.events(session).filter(({ type }) => type === 'interaction_response')).toHaveLength(1);
  expect(did).toEqual(['plain', 'plain']);
});

test('[DUR10, ASK4] a program withdraws its sleeping call, and none of its code runs', async () => {
  const begun = await tab.ask<{ sessionId: string; toolCallId: string }>({
    type: 'call_tool',
    ...{ channel: 'desk', callId: 'one', toolName: 'asks_out', args: {}, from: { name: 'desk' } },
  });
  await sleeps(1);
  expect(await tab.ask({ type: 'withdraw_call', ...begun, note: 'Never mind' })).toEqual({ withdrawn: true });
  expect(did).toEqual(['asks_out']);
});

test.each(['busy', 'cancelled', 'pin', 'late'])('[DUR10] a call stays in memory: %s', async (name) => {
  const prompt = await call(name);
  if (name === 'late') {
    await tab.answer(session, prompt, { action: 'approve' });
    await tab.prompt(session, (await tab.event(session, 'interaction_pending')).seq);
  }
  const kept = session;
  await begin(); // sessions are looked at in the order in which they were opened
  await call('plain');
  await sleeps(1);
  await tab.ask({ type: 'cancel_turn', sessionId: kept });
  session = kept;
  await end();
  if (name === 'cancelled') await vi.waitFor(() => expect(did).toContain('onCancel'));
  expect(did.filter((each) => each === name)).toHaveLength(1);
  expect(await countSleeps(local.url)).toBe(1);
});

test('[DUR10, OPS3] a server that stops while a call sleeps leaves it to the next one', async () => {
  const prompt = await call('plain');
  await sleeps(1);
  await local.restart();
  tab = await local.open();
  await tab.follow(session);
  await tab.answer(session, prompt, { action: 'approve' });
  expect(await result()).toMatchObject({ result: 'approve' });
  expect(did).toEqual(['plain', 'plain']);
});
