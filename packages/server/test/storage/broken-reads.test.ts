import { definePlugin, type InboxEntry, StoreError } from '@parleyhq/core';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { hold } from '../support/hold.ts';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

let effects = 0;
let refused = hold();
let going = hold();
const stepper = definePlugin({
  name: 'stepper',
  tools: [
    {
      name: 'step_twice',
      description: 'Tries its step again where that failed.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        const act = () => ctx.step('act', () => (effects += 1));
        return act().catch((first: Error) => act().catch((second: Error) => [first.message, second.message]));
      },
    },
    {
      name: 'go_on',
      description: 'Takes an id that the store refuses, and uses it in a step or a question.',
      parameters: { type: 'object' },
      async handler({ asks }: { asks?: boolean }, ctx) {
        const id = ctx.uuid();
        await refused.until;
        if (asks) await ctx.requestInteraction({ type: 'approval', title: id });
        else await ctx.step('act', () => going.until);
        return id;
      },
    },
    {
      name: 'ask',
      description: 'Asks.',
      parameters: { type: 'object' },
      handler: (_, ctx) => ctx.requestInteraction({ type: 'approval' }),
    },
  ],
});

const local = useLocalServer({ plugins: [stepper] });
let tab: Tab;
let session: string;

beforeAll(async () => {
  tab = await local.open();
});
beforeEach(async () => {
  local.store.fault = undefined;
  session = await tab.createSession();
});

const fail = () => Promise.reject(new StoreError('failed', 'made to fail'));

test('[DUR8, RPL1] a tab whose catch-up failed gets an error, and is then notified like one that does not follow the session', async () => {
  await tab.follow(session);
  await tab.say(session, 'Hello');
  await tab.event(session, 'turn_end');
  const other = await local.open();
  local.store.intercept('events', 'read', () => {
    local.store.intercept('events', 'read', (proceed) => proceed());
    return (async function* () {
      yield await fail();
    })();
  });
  await other.request({ type: 'subscribe', sessionId: session });
  await other.until((frame) => frame.type === 'error' && frame.code === 'storage_failed');
  await tab.say(session, '/call ask {}');
  await other.until((frame) => frame.type === 'interaction_opened' && frame.sessionId === session);
  await other.follow(session);
  expect(other.events(session).map(({ seq }) => seq)).toEqual(tab.events(session).map(({ seq }) => seq));
});

test('[DUR8] a tab can subscribe while a commit of the session fails', async () => {
  const other = await local.open();
  local.store.fault = 'full';
  const [said, subscribed] = await Promise.all([
    tab.request({ type: 'user_message', sessionId: session, messageId: 'm', text: 'Hello' }),
    other.request({ type: 'subscribe', sessionId: session, tail: 1 }),
  ]);
  expect(said).toMatchObject({ ok: false, error: { code: 'storage_full' } });
  expect(subscribed).toMatchObject({ ok: true });
  await other.until((frame) => frame.type === 'live' && frame.sessionId === session);
});

test('[DUR3, DUR4] a step whose value could not be stored has happened: it is not silently run again', async () => {
  await tab.follow(session);
  local.store.intercept('events', 'append', (proceed, change) => {
    const isValue = change.records?.some(
      ({ value }) => typeof value === 'object' && value !== null && 'value' in value,
    );
    return isValue ? fail() : proceed();
  });
  await tab.say(session, '/call step_twice {}');
  const { result } = (await tab.event(session, 'tool_result')).payload;
  expect(result).toEqual([expect.stringContaining('store'), expect.stringContaining('Two steps')]);
  expect(effects).toBe(1);
  local.store.intercept('events', 'append', (proceed) => proceed());
});

test.each([false, true])(
  '[DUR3] an id that could not be stored is stored with the step or question that follows (question: %s)',
  async (asks) => {
    [refused, going] = [hold(), hold()];
    const followed = hold();
    await tab.follow(session);
    local.store.intercept('events', 'append', (proceed, change) => {
      if (!change.records?.some(({ key }) => key.startsWith('uuid:'))) return proceed();
      local.store.intercept('events', 'append', (proceedAgain) => proceedAgain().then(followed.release));
      setImmediate(refused.release); // the handler continues when its record has failed
      return fail();
    });
    await tab.say(session, `/call go_on ${JSON.stringify({ asks })}`);
    const { toolCallId } = (await tab.event(session, 'tool_call')).payload;
    await followed.until;
    const records = await local.store.index.records(session, toolCallId);
    going.release();
    const used = asks
      ? (await tab.event(session, 'interaction_request')).payload.title
      : (await tab.event(session, 'tool_result')).payload.result;
    expect(records.find(({ key }) => key.startsWith('uuid:'))?.value).toBe(used);
  },
);

test('[OPS5] a deleted session leaves the inbox at once', async () => {
  await tab.say(session, '/call ask {}');
  await tab.until((frame) => frame.type === 'interaction_opened' && frame.sessionId === session);
  await tab.ask({ type: 'delete_session', sessionId: session });
  const { open } = (await (await local.open()).waitFor('welcome')) as { open: readonly InboxEntry[] };
  expect(open.filter(({ sessionId }) => sessionId === session)).toEqual([]);
});
