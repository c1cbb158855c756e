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
import { hold } from '../support/hold.ts';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

let local: LocalServer;
let tab: Tab;
let session: string;
/** Effects of the tools, in order. */
let did: string[];
let reading: Promise<void>;
/** The same at each start, because addresses of callbacks depend on them. */
const keys = makePushKeys();

const wait = { timeoutMs: null, onUnavailable: 'wait' } as const;
const approval = { type: 'approval', ...wait } as const;
const inputSchema = { type: 'form', fields: [{ id: 'pin', type: 'secret' }] };

function tool(name: string, run: (ctx: ToolContext) => unknown, more: Partial<Tool> = {}): Tool {
  const handler = (_: unknown, ctx: ToolContext) => {
    did.push(name);
    return run(ctx);
  };
  return { name, description: 'Asks.', parameters: { type: 'object' }, hibernates: true, handler, ...more };
}

const ask = (ctx: ToolContext, demand: object = {}) =>
  ctx.requestInteraction({ ...approval, ...demand } as InteractionDemand);
const put = { pending: { message: 'Put off.' } };

const asker = definePlugin({
  name: 'asker',
  tools: [
    tool('plain', async (ctx) => ((await ask(ctx)) as { action: string }).action),
    tool('awake', async (ctx) => ((await ask(ctx)) as { action: string }).action, { hibernates: false }),
    tool('pin', (ctx) =>
      ask(ctx, {
        type: 'input',
        inputSchema,
        onResponse: ({ input }: InteractionAnswer) => ({ complete: `${String(input?.pin).length} digits` }),
      }),
    ),
    tool('brief', (ctx) => ask(ctx, { timeoutMs: 100 })),
    tool('decided', (ctx) => ask(ctx, { timeoutMs: 100, onTimeout: () => ({ complete: 'decided' }) })),
    tool('cancelled', async (ctx) => {
      await ask(ctx, { onCancel: () => void did.push('onCancel') }).catch(() => undefined);
      await ctx.step('after', () => did.push('went on')).catch(({ code }) => did.push(code));
    }),
    tool('late', async (ctx) => {
      await ask(ctx, { onResponse: () => put, onLateResponse: () => ({ text: 'worded' }) });
      return ((await ask(ctx)) as { action: string }).action;
    }),
    tool('put_off', async (ctx) => {
      await ask(ctx, { onResponse: () => put });
      return ask(ctx);
    }),
    tool('hook', async (ctx) => {
      ctx.progress(await ctx.callback('hook'));
      return ctx.waitFor('hook');
    }),
    tool('hook_briefly', async (ctx) => {
      await ctx.callback('hook');
      return ctx.waitFor('hook', undefined, { timeoutMs: 100 });
    }),
    tool('cut_off', async (ctx) => {
      if (did.length === 1) await new Promise(() => undefined);
      return ((await ask(ctx)) as { action: string }).action;
    }),
    tool('granted', (ctx) => ctx.approve({ key: 'same', title: 'Same?', scopes: ['once', 'always'], ...wait })),
    tool('asks_out', async (ctx) => ((await ask(ctx)) as { action: string }).action, { asking: true }),
  ],
});

beforeEach(async () => {
  did = [];
  reading = Promise.resolve();
  local = await startLocalServer({
    plugins: [asker],
    reach: { keys },
    durations: { restartGraceMs: 300, stopMs: 200 },
  });
  tab = await local.open();
  session = await tab.createSession();
  await tab.follow(session);
});

async function call(name: string, after = 0): Promise<InteractionRequest> {
  await tab.say(session, `/call ${name} {}`);
  return tab.prompt(session, after);
}

/** Restarts over the same data, and lets the server process what it finds. */
async function restart(): Promise<void> {
  await local.restart();
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${local.url}/metrics`)).text();
    expect(metrics).toContain('\nparley_calls_to_enter 0\n');
  });
  tab = await local.open();
  await tab.follow(session);
}

const result = async () => (await tab.event(session, 'tool_result')).payload;
const requestOf = ({ interactionId }: { interactionId: string }) =>
  tab
    .events(session)
    .flatMap(({ type, payload }) => (type === 'interaction_request' ? [payload] : []))
    .find((request) => request.interactionId === interactionId) as InteractionRequest;
const types = () => tab.events(session).map(({ type }) => type);

test('[DUR10] a call whose tool hibernates sleeps from start to start: its log stays as it is until its answer wakes it', async () => {
  const prompt = await call('plain');
  const before = types();
  for (let n = 0; n < 3; n += 1) await restart();
  expect(types()).toEqual(before);
  expect(did).toEqual(['plain']);
  await tab.answer(session, prompt, { action: 'approve' });
  expect(await result()).toMatchObject({ result: 'approve' });
  await tab.event(session, 'turn_end');
  const woken = ['interaction_response', 'turn_resumed', 'tool_result'];
  expect(types().slice(before.length, before.length + woken.length)).toEqual(woken);
  expect(did).toEqual(['plain', 'plain']);
});

test('[DUR10] a call of another tool is entered in the background after the start', async () => {
  const prompt = await call('awake');
  await restart();
  expect(did).toEqual(['awake', 'awake']);
  await tab.answer(session, prompt, { action: 'deny' });
  expect(await result()).toMatchObject({ result: 'deny' });
});

test('[DUR10] the answered one of two calls of a message is woken, and the other sleeps on', async () => {
  await tab.say(session, '/call plain {}\n/call pin {}');
  const pin = (await tab.event(session, 'interaction_request', ({ payload }) => payload.toolName === 'pin')).payload;
  const plain = (await tab.event(session, 'interaction_request', ({ payload }) => payload.toolName === 'plain'))
    .payload;
  await restart();
  await tab.answer(session, plain, { action: 'approve' });
  expect(await result()).toMatchObject({ toolName: 'plain' });
  expect(did.toSorted()).toEqual(['pin', 'plain', 'plain']);
  await restart();
  await tab.answer(session, pin, { action: 'submit', input: { pin: '4711' } });
  expect(
    (await tab.event(session, 'tool_result', ({ payload }) => payload.toolName === 'pin')).payload.error,
  ).toBeUndefined();
  expect((await tab.event(session, 'turn_end')).payload.status).toBe('completed');
});

test('[DUR10, INT17] what is typed in secret while a call sleeps reaches its handler', async () => {
  const prompt = await call('pin');
  await restart();
  await tab.answer(session, prompt, { action: 'submit', input: { pin: '4711' } });
  expect(await result()).toMatchObject({ result: '4 digits' });
  expect(types().filter((type) => type === 'interaction_request')).toHaveLength(1);
});

test.each([
  ['brief', { ok: false, error: 'timeout' }],
  ['decided', 'decided'],
])('[DUR10, INT10] the deadline of a sleeping call wakes it: %s', async (name, expected) => {
  await call(name);
  await local.restart();
  tab = await local.open();
  await tab.follow(session);
  expect(await result()).toMatchObject({ result: expected });
});

test('[DUR10, INT11] a stop ends a sleeping call at once, and wakes it for its onCancel alone', async () => {
  await call('cancelled');
  await restart();
  await tab.ask({ type: 'cancel_turn', sessionId: session });
  expect(await result()).toMatchObject({ error: { code: 'cancelled' } });
  await vi.waitFor(() => expect(did).toEqual(['cancelled', 'cancelled', 'onCancel', 'call_closed']));
  expect(types()).not.toContain('turn_resumed');
});

test('[DUR10, INT11, OPS5] the end of its session does the same', async () => {
  await call('cancelled');
  await restart();
  await tab.ask({ type: 'delete_session', sessionId: session });
  await vi.waitFor(() => expect(did).toEqual(['cancelled', 'cancelled', 'onCancel', 'call_closed']));
});

test('[DUR10, INT11] a stop does not wake a call without an onCancel', async () => {
  await call('plain');
  await restart();
  await tab.ask({ type: 'cancel_turn', sessionId: session });
  await tab.event(session, 'turn_end');
  await restart();
  expect(did).toEqual(['plain']);
  expect(types()).not.toContain('turn_resumed');
});

test('[DUR10, INT9] a late answer to a sleeping call is worded by its hook, and without one in the append of the answer', async () => {
  await tab.answer(session, await call('late'), { action: 'approve' });
  const off = await tab.event(session, 'interaction_pending');
  const first = tab.events(session).findLast(({ type }) => type === 'interaction_request');
  const last = await tab.prompt(session, first?.seq ?? 0);
  await restart();
  await tab.answer(session, requestOf(off.payload), { action: 'approve' });
  expect((await tab.event(session, 'message_queued')).payload).toMatchObject({ text: 'worded' });
  await tab.answer(session, last, { action: 'approve' });
  expect(await result()).toMatchObject({ result: 'approve' });
});

test('[DUR10, INT9] a late answer without a hook wakes nothing', async () => {
  await tab.answer(session, await call('put_off'), { action: 'approve' });
  const off = await tab.event(session, 'interaction_pending');
  await tab.prompt(session, off.seq);
  await restart();
  await tab.answer(session, requestOf(off.payload), { action: 'approve' });
  const response = await tab.event(session, 'interaction_response', ({ payload }) => payload.late === true);
  expect((await tab.event(session, 'message_queued')).seq).toBe(response.seq + 1);
  expect(did).toEqual(['put_off']);
});

test('[DUR10, PLG11] a callback wakes the call that waits for it, and so does its expiry', async () => {
  await tab.say(session, '/call hook {}');
  const frame = await tab.until((each) => each.type === 'stream' && each.kind === 'tool_output');
  await restart();
  const response = await fetch((frame as { text: string }).text, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"paid":true}',
  });
  expect(response.status).toBe(200);
  expect(await result()).toMatchObject({ result: { paid: true } });

  const other = await tab.createSession();
  await tab.follow(other);
  await tab.say(other, '/call hook_briefly {}');
  await vi.waitFor(() => expect(did).toContain('hook_briefly'));
  await local.restart();
  tab = await local.open();
  await tab.follow(other);
  expect((await tab.event(other, 'tool_result')).payload).toMatchObject({ error: { code: 'timeout' } });
});

test('[DUR10, DUR4] the question whether to run again sleeps from start to start, too, and its answer counts', async () => {
  await tab.say(session, '/call cut_off {}');
  await vi.waitFor(() => expect(did).toEqual(['cut_off']));
  await restart();
  const recovery = await tab.prompt(session);
  expect(recovery.source.kind).toBe('recovery');
  const before = types();
  await restart();
  await restart();
  expect(types()).toEqual(before);
  await tab.answer(session, recovery, { action: 'approve' });
  const own = await tab.event(session, 'interaction_request', ({ payload }) => payload.source.kind === 'tool');
  await tab.answer(session, own.payload, { action: 'approve' });
  expect(await result()).toMatchObject({ result: 'approve' });
  expect(types().filter((type) => type === 'interaction_request')).toHaveLength(2);
});

test('[DUR2, DUR4] an answer that was stored before the server stopped while waking the call is handled by the next one, and nobody is asked', async () => {
  const prompt = await call('plain');
  await restart();
  const { until, release } = hold();
  reading = until;
  local.store.intercept('index', 'records', async (read) => {
    await reading;
    return read();
  });
  expect(await tab.answer(session, prompt, { action: 'approve' })).toMatchObject({ ok: true });
  await local.restart();
  release();
  tab = await local.open();
  await tab.follow(session);
  expect(await result()).toMatchObject({ result: 'approve' });
  expect(types().filter((type) => type === 'interaction_request')).toHaveLength(1);
});

test('[DUR10, APR4] a grant that is given elsewhere settles the prompt of a sleeping call, and wakes it', async () => {
  await call('granted');
  await restart();
  const other = await tab.createSession();
  await tab.follow(other);
  await tab.say(other, '/call granted {}');
  const prompt = await tab.prompt(other);
  await tab.answer(other, prompt, { action: 'approve', approvalScope: 'always', digest: prompt.digest });
  expect(await result()).toMatchObject({ result: { approved: true } });
});

test('[DUR10, ASK1, ASK4] a program calls while another call of it sleeps, withdraws that one, and gets the results of both', async () => {
  const begin = (callId: string) =>
    tab.ask<{ sessionId: string; toolCallId: string }>({
      type: 'call_tool',
      channel: 'desk',
      callId,
      toolName: 'asks_out',
      args: {},
      from: { name: 'desk' },
    });
  const { sessionId, toolCallId } = await begin('one');
  session = sessionId;
  await tab.follow(session);
  await tab.prompt(session);
  await restart();
  const next = await begin('two');
  const isNext = ({ payload }: { payload: { toolCallId: string } }) => payload.toolCallId === next.toolCallId;
  const prompt = (await tab.event(session, 'interaction_request', isNext)).payload;
  expect(did).toEqual(['asks_out', 'asks_out']);
  expect(await tab.ask({ type: 'withdraw_call', sessionId, toolCallId, note: 'Never mind' })).toEqual({
    withdrawn: true,
  });
  await tab.answer(session, prompt, { action: 'approve' });
  expect((await tab.event(session, 'tool_result', isNext)).payload).toMatchObject({ result: 'approve' });
  expect((await tab.event(session, 'turn_end')).payload.status).toBe('completed');
  expect(did).toEqual(['asks_out', 'asks_out']);
});
