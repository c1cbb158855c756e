import { expect, test } from 'vitest';
import { Journey, pluginPath, question } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer({ plugins: [pluginPath('scripted.mjs')] });

/** Starts a turn that waits for its prompt, so that messages are queued. */
function block(journey: Journey) {
  return journey.ask('scripted', {
    request: question('answer', { timeoutMs: null }),
    onResponse: [{ return: { complete: 0 } }],
  });
}

const sent = (journey: Journey) =>
  journey.events('user_message').map(({ payload }) => ('text' in payload ? payload.text : ''));

test('[INT19] messages sent while a turn runs are queued, and become turns of their own, in order', async () => {
  const journey = await Journey.begin(server);
  const prompt = await block(journey);
  for (const text of ['/stream 1 0', '/stream 2 0', '/stream 3 0']) {
    const result = await journey.tab.say(journey.session, text, `${journey.session} ${text}`);
    expect(result).toEqual({ seq: expect.any(Number), queued: true });
  }
  expect(journey.events('message_queued')).toHaveLength(3);
  expect(sent(journey)).toHaveLength(1);
  await journey.submit(prompt, {});
  await journey.tab.until(() => journey.events('turn_end').length === 4);
  expect(sent(journey).slice(1)).toEqual(['/stream 1 0', '/stream 2 0', '/stream 3 0']);
  const turns = journey.events('turn_start').map(({ turnId }) => turnId);
  expect(new Set(turns).size).toBe(4);
});

test('[INT19] the next message begins in the append that ends the last turn', async () => {
  const journey = await Journey.begin(server);
  const prompt = await block(journey);
  await journey.tab.say(journey.session, '/stream 1 0', `${journey.session}-next`);
  await journey.submit(prompt, {});
  const end = await journey.event('turn_end');
  const message = await journey.event('user_message', ({ payload }) => payload.messageId === `${journey.session}-next`);
  const start = await journey.event('turn_start', undefined, end.seq);
  expect([message.seq, start.seq]).toEqual([end.seq + 1, end.seq + 2]);
  expect([message.timestamp, start.timestamp]).toEqual([end.timestamp, end.timestamp]);
});

test('[INT19] a queued message can be edited, keeping its place, or removed', async () => {
  const journey = await Journey.begin(server);
  const other = await journey.join(server);
  const prompt = await block(journey);
  const id = (n: number) => `${journey.session}-${n}`;
  for (const n of [1, 2, 3]) await journey.tab.say(journey.session, `/stream ${n} 0`, id(n));
  const { session: sessionId } = journey;
  await journey.tab.ask({ type: 'edit_queued', sessionId, messageId: id(1), text: '/stream 4 0' });
  await other.tab.ask({ type: 'remove_queued', sessionId, messageId: id(2) });
  expect((await other.event('message_unqueued')).payload).toEqual({ messageId: id(2), reason: 'removed' });
  const later = await journey.join(server);
  const snapshot = await later.tab.waitFor('snapshot');
  expect(snapshot.head.queue.map(({ messageId, text }) => [messageId, text])).toEqual([
    [id(1), '/stream 4 0'],
    [id(3), '/stream 3 0'],
  ]);
  await journey.submit(prompt, {});
  await journey.tab.until(() => journey.events('turn_end').length === 3);
  expect(sent(journey).slice(1)).toEqual(['/stream 4 0', '/stream 3 0']);
});

test('[INT19] a message that is no longer queued can be neither edited nor removed', async () => {
  const journey = await Journey.begin(server);
  const { session: sessionId } = journey;
  const prompt = await block(journey);
  await journey.tab.say(sessionId, '/stream 1 0', `${sessionId}-gone`);
  await journey.submit(prompt, {});
  await journey.tab.until(() => journey.events('turn_end').length === 2);
  for (const messageId of [`${sessionId}-gone`, 'never']) {
    for (const frame of [
      { type: 'edit_queued', sessionId, messageId, text: 'x' },
      { type: 'remove_queued', sessionId, messageId },
    ] as const) {
      expect(await journey.tab.request(frame)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    }
  }
});

test('[INT19, FRM6] the same messageId is queued once and gets the same reply, also after its turn', async () => {
  const journey = await Journey.begin(server);
  const prompt = await block(journey);
  const say = () => journey.tab.say(journey.session, '/stream 1 0', `${journey.session}-same`);
  const first = await say();
  expect(await say()).toEqual(first);
  await journey.submit(prompt, {});
  await journey.tab.until(() => journey.events('turn_end').length === 2);
  expect(await say()).toEqual(first);
  expect(sent(journey)).toHaveLength(2);
});

test('[SEC6, INT19] a hundred messages can be queued; the next is refused', async () => {
  const journey = await Journey.begin(server);
  const prompt = await block(journey);
  for (let n = 0; n < 100; n += 1) {
    const reply = await journey.tab.say(journey.session, `/stream ${n} 0`);
    expect(reply.queued).toBe(true);
  }
  const full = { type: 'user_message', sessionId: journey.session, messageId: 'one-more', text: 'x' } as const;
  expect(await journey.tab.request(full)).toMatchObject({ ok: false, error: { code: 'queue_full' } });
  await journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session });
  expect(journey.settlements(prompt)).toHaveLength(1);
});

test('[INT19, DUR1] the queue survives kill -9 and continues in order', async () => {
  const own = await startServer({ plugins: [pluginPath('scripted.mjs')] });
  const journey = await Journey.begin(own);
  const prompt = await block(journey);
  for (const n of [1, 2]) await journey.tab.say(journey.session, `/stream ${n} 0`);
  await own.restart();
  const back = await journey.join(own);
  expect((await back.tab.waitFor('snapshot')).head.queue).toHaveLength(2);
  await back.submit(prompt, {});
  await back.tab.until(() => back.events('turn_end').length === 3);
  expect(sent(back).slice(1)).toEqual(['/stream 1 0', '/stream 2 0']);
});
