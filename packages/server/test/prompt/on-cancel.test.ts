import { expect, test } from 'vitest';
import { effect, Journey, loadPlugin, question, readEffects, release } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs')] });

const stop = (journey: Journey) => journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session });
const forever = question('answer', { timeoutMs: null });

test('[INT11] in the middle of a stream, the streamed text is kept as interrupted, and the turn ends', async () => {
  const journey = await Journey.begin(server);
  await journey.tab.say(journey.session, '/stream 1000 20');
  await journey.tab.until((frame) => frame.type === 'stream' && frame.offset > 0);
  await stop(journey);
  const { payload, seq } = await journey.event('assistant_done');
  expect(payload.interrupted).toBe(true);
  expect(payload.text).toMatch(/^1 2 /);
  expect(await journey.event('turn_end')).toMatchObject({ seq: seq + 1, payload: { status: 'cancelled' } });
});

test('[INT11] in the middle of a prompt, one append closes prompts, calls and turn; then onCancel runs, once', async () => {
  const journey = await Journey.begin(server);
  const demand = (id: string) => ({ request: { ...forever, key: id }, onCancel: [{}], notes: `stop-${id}` });
  await journey.call('parallel', { demands: [demand('a'), demand('b')] });
  await journey.event('interaction_request', ({ payload }) => payload.slot === 'b');
  const { seq } = journey.events().at(-1)!;
  await stop(journey);
  const end = await journey.event('turn_end');
  const ended = journey.events().filter((event) => event.seq > seq);
  expect(ended.map(({ type }) => type)).toEqual([
    'interaction_closed',
    'interaction_closed',
    'tool_result',
    'turn_end',
  ]);
  expect(new Set(ended.map(({ timestamp }) => timestamp)).size).toBe(1);
  for (const { payload } of ended.slice(0, 2)) expect(payload).toMatchObject({ reason: 'cancelled' });
  expect(ended[2]?.payload).toMatchObject({ error: { code: 'cancelled' } });
  expect(end.payload.status).toBe('cancelled');
  for (const id of ['a', 'b']) {
    await effect(server, `stop-${id}`, 'onCancel');
    expect(await readEffects(server, `stop-${id}`)).toEqual(['onCancel']);
  }
  expect(await journey.tab.request({ type: 'cancel_turn', sessionId: journey.session })).toMatchObject({
    error: { code: 'no_turn' },
  });
});

test('[INT11, PLG13a] the signal aborts before onCancel runs, and whatever the handler does afterwards changes nothing', async () => {
  const journey = await Journey.begin(server);
  await journey.ask('stubborn', { request: forever, onCancel: [{}], notes: 'stubborn' });
  await stop(journey);
  await effect(server, 'stubborn', 'end');
  const noted = await readEffects(server, 'stubborn');
  expect(noted.slice(0, 2).sort()).toEqual(['abort', 'onCancel']);
  expect(noted[0]).toBe('abort');
  expect(noted).toEqual(
    expect.arrayContaining([
      'open prompt: cancelled',
      'ask: call_closed',
      'step: call_closed',
      'grant: call_closed',
      'state: call_closed',
      'file: call_closed',
    ]),
  );
  expect(noted.filter((line) => line === 'onCancel')).toHaveLength(1);
  const { seq } = await journey.event('turn_end');
  expect(journey.events().at(-1)?.seq).toBe(seq);
  expect(journey.events('tool_result')).toHaveLength(1);
});

test("[INT11] in the middle of onResponse, the answer stands, and the hook's outcome is ignored", async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', {
    request: forever,
    onResponse: [{ until: 'stopped-answer', return: { reprompt: { error: 'too late' } } }],
    onCancel: [{}],
    notes: 'mid-response',
  });
  await journey.submit(prompt, { answer: 'x' });
  await effect(server, 'mid-response', 'onResponse');
  await stop(journey);
  const { seq } = await journey.event('turn_end');
  await release(server, 'stopped-answer');
  // Once another turn of the session has ended, a reprompt would have come before it.
  await journey.run('count', { files: [] });
  expect(journey.events('interaction_request')).toHaveLength(1);
  expect(journey.settlements(prompt)).toMatchObject([{ type: 'interaction_response' }]);
  expect(journey.events('tool_result')[0]?.seq).toBeLessThan(seq);
  expect(await readEffects(server, 'mid-response')).toEqual(['onResponse']);
});

test('[INT11, INT3] in the middle of onTimeout, the prompt is closed as cancelled, and stays closed', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', {
    request: question('answer', { timeoutMs: 30 }),
    onTimeout: [{ until: 'stopped-timeout', return: { pending: { message: 'later' } } }],
  });
  await journey.event('interaction_expired');
  await stop(journey);
  await release(server, 'stopped-timeout');
  await journey.run('count', { files: [] });
  expect(journey.settlements(prompt)).toMatchObject([{ payload: { reason: 'cancelled' } }]);
  expect(journey.events('interaction_pending')).toEqual([]);
});

test('[INT4, INT11] answer and cancel race: one of them settles the prompt', async () => {
  for (let round = 0; round < 20; round += 1) {
    const journey = await Journey.begin(server);
    const other = await journey.join(server);
    const prompt = await journey.ask('scripted', { request: forever });
    const answered = other.submit(prompt, { answer: 'x' });
    await Promise.all([journey.tab.request({ type: 'cancel_turn', sessionId: journey.session }), answered]);
    await journey.event('turn_end');
    expect(journey.settlements(prompt)).toHaveLength(1);
    const [settlement] = journey.settlements(prompt);
    expect(await answered).toMatchObject(
      settlement?.type === 'interaction_response' ? { ok: true } : { ok: false, error: { code: 'closed' } },
    );
    await Promise.all([journey.tab.close(), other.tab.close()]);
  }
});

test('[INT11, INT19] queued messages are returned, and none of them runs', async () => {
  const journey = await Journey.begin(server);
  await journey.ask('scripted', { request: forever });
  for (const id of ['q1', 'q2']) await journey.tab.say(journey.session, `text ${id}`, `${journey.session}-${id}`);
  await stop(journey);
  const end = await journey.event('turn_end');
  const returned = journey.events('message_unqueued').map(({ payload }) => payload);
  expect(returned).toEqual(['q1', 'q2'].map((id) => ({ messageId: `${journey.session}-${id}`, reason: 'returned' })));
  expect(journey.events('message_unqueued').every(({ seq }) => seq < end.seq)).toBe(true);
  const later = await journey.join(server);
  expect(later.events('turn_start')).toHaveLength(1);
});

test('[INT11] a handler that waits for its signal ends with it, and its result is ignored', async () => {
  const journey = await Journey.begin(server);
  await journey.call('count', { files: ['never'] });
  await journey.event('tool_call');
  await stop(journey);
  expect((await journey.outcome()).error).toMatchObject({ code: 'cancelled' });
  expect((await journey.event('turn_end')).payload).toEqual({ status: 'cancelled' });
  expect(await journey.run('count', { files: [] })).toMatchObject({ result: [{ available: true }] });
});

test('[INT11, INT12] an onCancel that throws affects nothing else', async () => {
  const journey = await Journey.begin(server);
  await journey.ask('scripted', { request: forever, onCancel: [{ throw: { message: 'oops' } }], notes: 'throws' });
  await stop(journey);
  await effect(server, 'throws', 'onCancel');
  expect(await journey.run('count', { files: [] })).toMatchObject({ result: [{ available: true }] });
});
