import { definePlugin } from '@parleyhq/core';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { foldOf } from '../support/fold.ts';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

const asker = definePlugin({
  name: 'asker',
  tools: [
    {
      name: 'ask',
      description: 'Asks.',
      parameters: { type: 'object' },
      handler: (_, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          inputSchema: { type: 'form', fields: [{ id: 'answer', type: 'text', label: 'Answer' }] },
          onResponse: ({ input }) => ({ complete: input }),
        }),
    },
  ],
});

const local = useLocalServer({ plugins: [asker] });
let tab: Tab;
let other: Tab;
let session: string;

beforeAll(async () => {
  [tab, other] = await Promise.all([local.open(), local.open()]);
});
beforeEach(async () => {
  local.store.fault = undefined;
  session = await tab.createSession();
  await Promise.all([tab.follow(session), other.follow(session)]);
});

const say = (text: string, messageId: string) =>
  tab.request({ type: 'user_message', sessionId: session, messageId, text });

test.each([
  ['full', 'storage_full'],
  ['busy', 'storage_busy'],
  ['failed', 'storage_failed'],
  ['conflict', 'retry_later'],
] as const)(
  '[EVT2, DUR8] a failed commit (%s) sends nothing but its refusal (%s), and the next one works',
  async (kind, code) => {
    local.store.fault = kind;
    expect(await say('lost', 'm1')).toMatchObject({ ok: false, error: { code, message: expect.any(String) } });
    expect(await say('lost too', 'm2')).toMatchObject({ ok: false, error: { code } });
    for (const each of [tab, other]) {
      each.send({ type: 'ping' });
      await each.waitFor('pong');
      expect(each.events(session)).toEqual([]);
    }
    local.store.fault = undefined;
    expect(await say('kept', 'm1')).toMatchObject({ ok: true, result: { seq: 1 } });
    const message = await other.event(session, 'user_message');
    expect(message).toMatchObject({ seq: 1, payload: { text: 'kept' } });
    await tab.event(session, 'turn_end');
  },
);

test('[EVT2] everything decided ahead of a failing commit is refused with it, and the head falls back', async () => {
  local.store.fault = 'full';
  const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => say(`n ${n}`, `m${n}`)));
  for (const reply of replies) expect(reply).toMatchObject({ ok: false });
  local.store.fault = undefined;
  const late = await local.open();
  expect(await late.follow(session)).toMatchObject({ seq: 0, head: { seq: 0, turn: null, queue: [] } });
  await say('now', 'm0');
  await late.event(session, 'turn_end');
  expect(late.eventsSinceSnapshot(session).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
});

test('[EVT2, DUR8] an answer that could not be stored is not accepted: the prompt stays open for the next one', async () => {
  await tab.say(session, '/call ask {}');
  const prompt = await tab.prompt(session);
  local.store.fault = 'full';
  const refused = await tab.answer(session, prompt, { answerId: 'a', action: 'submit', input: { answer: 'one' } });
  expect(refused).toMatchObject({ ok: false, error: { code: 'storage_full' } });
  expect(await tab.ask({ type: 'read_events', sessionId: session, before: 2, limit: 1 })).toMatchObject({
    events: [{ seq: 1 }],
  });
  local.store.fault = undefined;
  const second = await other.answer(session, prompt, { answerId: 'b', action: 'submit', input: { answer: 'two' } });
  expect(second).toMatchObject({ ok: true });
  expect((await tab.event(session, 'interaction_response')).payload).toMatchObject({ answerId: 'b' });
  await tab.event(session, 'turn_end');
});

test('[DUR8] a turn that cannot store its end continues once there is space', async () => {
  await tab.say(session, '/stream 30 2');
  await tab.event(session, 'turn_start');
  local.store.fault = 'full';
  await tab.until((frame) => frame.type === 'stream' && frame.text.includes('30'));
  expect(tab.events(session)).toHaveLength(2);
  local.store.fault = undefined;
  await tab.event(session, 'turn_end');
  expect(foldOf(tab.events(session)).head.turn).toBeNull();
});

test('[DUR8] a stop that could not be stored leaves the streaming text alone', async () => {
  await tab.say(session, '/stream 60 3');
  await tab.until((frame) => frame.type === 'stream');
  local.store.fault = 'full';
  expect(await tab.request({ type: 'cancel_turn', sessionId: session })).toMatchObject({ ok: false });
  local.store.fault = undefined;
  await tab.event(session, 'assistant_done');
  const pieces = tab.frames.flatMap((frame) => (frame.type === 'stream' && frame.sessionId === session ? [frame] : []));
  let end = 0;
  for (const { offset, text } of pieces) {
    expect(offset).toBe(end);
    end += text.length;
  }
});

test('[DUR8] a session that could not be stored is refused with the storage code', async () => {
  local.store.fault = 'full';
  expect(await tab.request({ type: 'create_session' })).toMatchObject({ ok: false, error: { code: 'storage_full' } });
  local.store.fault = undefined;
  await tab.createSession();
});

test('[OPS3, DUR8] /readyz is red while nothing can be stored, and says why; /healthz is not', async () => {
  const get = (path: string) => fetch(`http://127.0.0.1:${local.port}${path}`);
  const shows = (status: number, body: object) =>
    vi.waitFor(async () => {
      const response = await get('/readyz');
      expect([response.status, await response.json()]).toEqual([status, body]);
    });
  await shows(200, { ready: true });
  local.store.fault = 'full';
  await shows(503, { ready: false, code: 'storage_full' });
  expect((await get('/healthz')).status).toBe(200);
  local.store.fault = undefined;
  await shows(200, { ready: true });
});
