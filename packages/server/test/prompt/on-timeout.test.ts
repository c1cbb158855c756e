import { expect, test } from 'vitest';
import { effect, Journey, loadPlugin, question, readEffects, release } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs')] });

const soon = question('answer', { timeoutMs: 100 });

test('[INT10] without the hook the prompt closes at once and the promise fails closed', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', { request: soon, onResponse: [{ return: { complete: 'answered' } }] });
  expect(await journey.outcome()).toEqual({ result: { ok: false, error: 'timeout' } });
  expect(journey.settlements(prompt)).toMatchObject([{ type: 'interaction_closed', payload: { reason: 'timeout' } }]);
  expect(journey.events('interaction_expired')).toEqual([]);
  expect(await journey.words()).toBe('scripted returned: {"ok":false,"error":"timeout"}');
});

test('[INT10] an approval that times out is not a consent', async () => {
  const journey = await Journey.begin(server);
  await journey.call('scripted', { request: { type: 'approval', timeoutMs: 50 } });
  expect(await journey.outcome()).toEqual({ result: { ok: false, error: 'timeout' } });
  expect(journey.events('interaction_response')).toEqual([]);
});

test('[INT10] onTimeout completes: expiry, closing and result, in this order', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', {
    request: soon,
    onTimeout: [{ return: { complete: { ok: false, late: 'you' } } }],
    notes: 'completes',
  });
  expect(await journey.outcome()).toEqual({ result: { ok: false, late: 'you' } });
  expect(journey.events('interaction_expired', 'interaction_closed', 'tool_result').map(({ type }) => type)).toEqual([
    'interaction_expired',
    'interaction_closed',
    'tool_result',
  ]);
  const { timestamp } = await journey.event('interaction_expired');
  expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(Date.parse(prompt.expiresAt!));
  expect(await readEffects(server, 'completes')).toEqual(['onTimeout']);
});

test('[INT5, INT10] while onTimeout decides, an answer gets retry_later; then the prompt is closed', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', {
    request: soon,
    onTimeout: [{ until: 'decided', return: { complete: 'gone' } }],
    onResponse: [{ return: { complete: 'answered' } }],
  });
  await journey.event('interaction_expired');
  const early = await journey.submit(prompt, { answer: 'x' });
  expect(early).toMatchObject({ ok: false, error: { code: 'retry_later' } });
  await release(server, 'decided');
  expect(await journey.outcome()).toEqual({ result: 'gone' });
  const late = await journey.submit(prompt, { answer: 'x' });
  expect(late).toMatchObject({ ok: false, error: { code: 'closed', details: { reason: 'timeout' } } });
});

test('[INT9, INT10] while onTimeout decides, an answer gets retry_later; once the prompt is pending it is accepted', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', {
    request: soon,
    onTimeout: [{ until: 'pending', return: { pending: { message: 'went on' } } }],
  });
  await journey.event('interaction_expired');
  const send = () => journey.answer(prompt, { action: 'submit', input: { answer: 'x' }, answerId: 'same' });
  expect(await send()).toMatchObject({ error: { code: 'retry_later' } });
  await release(server, 'pending');
  await journey.event('interaction_pending');
  expect(await send()).toMatchObject({ ok: true });
});

test('[INT10] an answer in time wins: no timeout follows, the hook does not run', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', {
    request: question('answer', { timeoutMs: 150 }),
    onTimeout: [{ return: { complete: 'timeout' } }],
    onResponse: [{ until: 'slow-answer', return: { complete: 'answered' } }],
    notes: 'in-time',
  });
  await journey.submit(prompt, { answer: 'x' });
  // Once another prompt with a later deadline has timed out, the first one's deadline has passed too.
  const other = await Journey.begin(server);
  await other.call('scripted', { request: question('answer', { timeoutMs: 200 }) });
  await other.outcome();
  await release(server, 'slow-answer');
  expect(await journey.outcome()).toEqual({ result: 'answered' });
  expect(await readEffects(server, 'in-time')).toEqual(['onResponse']);
  expect(journey.settlements(prompt)).toHaveLength(1);
});

test('[INT12] onTimeout that throws, hangs or returns no outcome ends the call with its code, and the prompt', async () => {
  const journey = await Journey.begin(server);
  const cases = [
    ['scripted', { throw: { message: 'broken' } }, 'handler_error'],
    ['impatient', { hang: true }, 'handler_timeout'],
    ['scripted', { return: { done: true } }, 'invalid_outcome'],
    ['scripted', { return: { reprompt: { type: 'input', inputSchema: 7 } } }, 'invalid_outcome'],
  ] as const;
  for (const [tool, step, code] of cases) {
    const prompt = await journey.ask(tool, { request: question('answer', { timeoutMs: 20 }), onTimeout: [step] });
    expect((await journey.outcome(prompt)).error).toMatchObject({ code });
    expect(journey.settlements(prompt)).toMatchObject([{ payload: { reason: 'handler_error' } }]);
  }
});

test.each([
  ['throws', { throw: { message: 'x' } }],
  ['asks again for the impossible', { return: { reprompt: { timeoutMs: -1 } } }],
])('[INT3, INT12] an onTimeout that %s closes its prompt even if the handler continues', async (_, step) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('catching', {
    request: question('answer', { timeoutMs: 20 }),
    onTimeout: [step],
    next: { request: question('next') },
  });
  const next = (await journey.event('interaction_request', ({ payload }) => payload.slot === '2')).payload;
  expect(journey.settlements(prompt)).toMatchObject([{ payload: { reason: 'handler_error' } }]);
  await journey.answer(next, { action: 'cancel' });
  expect((await journey.outcome()).result).toMatchObject({
    code: expect.stringMatching(/handler_error|invalid_outcome/),
  });
});

test('[INT10] the deadline holds after its tab has disconnected', async () => {
  const journey = await Journey.begin(server);
  await journey.call('scripted', {
    request: question('answer', { timeoutMs: 200 }),
    onTimeout: [{ return: { complete: 'alone' } }],
    notes: 'alone',
  });
  await journey.event('interaction_request');
  await journey.tab.close();
  await effect(server, 'alone', 'onTimeout');
  const back = await journey.join(server);
  expect(await back.outcome()).toEqual({ result: 'alone' });
});
