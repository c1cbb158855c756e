import { expect, test } from 'vitest';
import { Journey, pluginPath, question, readEffects, release } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer({ plugins: [pluginPath('scripted.mjs')] });

const pending = { return: { pending: { message: 'Going on without you.' } } };
const sevenDaysMs = 7 * 24 * 3_600_000;

/** Opens a pending prompt whose turn has ended. */
async function askInVain(journey: Journey, scripts: object = {}) {
  const inputSchema = { type: 'form', fields: [{ id: 'rating', type: 'number', label: 'Stars', required: true }] };
  const request = { type: 'input', prompt: 'How was it?', timeoutMs: 50, inputSchema };
  const prompt = await journey.ask('scripted', { request, onTimeout: [pending], ...scripts });
  await journey.event('turn_end');
  return prompt;
}

test('[INT9] after a pending onTimeout the tool continues, and the prompt stays answerable for seven days', async () => {
  const journey = await Journey.begin(server);
  const prompt = await askInVain(journey);
  expect(await journey.outcome()).toEqual({
    result: { pending: true, queued: true, message: 'Going on without you.' },
  });
  const said = await journey.event('interaction_pending');
  expect(said.payload).toMatchObject({ interactionId: prompt.interactionId, message: 'Going on without you.' });
  expect(Date.parse(said.payload.expiresAt!) - Date.parse(said.timestamp)).toBe(sevenDaysMs);
  expect(journey.settlements(prompt)).toEqual([]);
  const later = await journey.join(server);
  const welcome = await later.tab.waitFor('welcome');
  expect(welcome.open.find(({ interaction }) => interaction.interactionId === prompt.interactionId)).toMatchObject({
    sessionId: journey.session,
    pending: true,
  });
});

test('[INT9, AGT1] a late answer and its message are one append; the agent reacts in a turn of its own', async () => {
  const journey = await Journey.begin(server);
  const prompt = await askInVain(journey);
  const { seq: end } = await journey.event('turn_end');
  const reply = await journey.submit(prompt, { rating: 5 });
  expect(reply).toMatchObject({ ok: true, result: { seq: end + 1 } });
  const response = await journey.event('interaction_response');
  expect(response.payload).toMatchObject({ late: true, input: { rating: 5 } });
  const message = await journey.event('user_message', ({ payload }) => payload.origin === 'interaction');
  expect(message).toMatchObject({
    seq: end + 2,
    timestamp: response.timestamp,
    payload: {
      messageId: `late:${prompt.interactionId}`,
      interactionId: prompt.interactionId,
      text: 'How was it?\nStars: 5',
      from: { clientId: journey.tab.clientId },
    },
  });
  const start = await journey.event('turn_start', ({ payload }) => payload.trigger === 'interaction');
  expect(start.seq).toBe(end + 3);
  expect(await journey.words(end)).toBe('Noted: How was it?\nStars: 5');
  expect(await journey.submit(prompt, { rating: 4 })).toMatchObject({ error: { code: 'already_answered' } });
});

test('[INT9, INT19] while a turn runs the late message is queued', async () => {
  const journey = await Journey.begin(server);
  const prompt = await askInVain(journey);
  const blocking = await journey.ask('scripted', { request: question('blocker') });
  await journey.submit(prompt, { rating: 3 });
  const queued = await journey.event('message_queued');
  expect(queued.payload).toMatchObject({ messageId: `late:${prompt.interactionId}`, origin: 'interaction' });
  expect(journey.events('interaction_response').at(-1)?.seq).toBe(queued.seq - 1);
  await journey.answer(blocking, { action: 'cancel' });
  const message = await journey.event('user_message', ({ payload }) => payload.origin === 'interaction');
  expect(message.payload.messageId).toBe(`late:${prompt.interactionId}`);
  await journey.event('assistant_done', ({ payload }) => payload.text.startsWith('Noted: '));
});

test('[INT9] "later" from onResponse opens the same prompt again under a new id, pending from the start', async () => {
  const journey = await Journey.begin(server);
  const first = await journey.ask('scripted', {
    request: question('answer', { title: 'T', timeoutMs: 60_000 }),
    onResponse: [pending],
  });
  await journey.answer(first, { action: 'cancel' });
  const second = await journey.next(first);
  expect(second).toMatchObject({ replaces: first.interactionId, title: 'T', prompt: 'answer?' });
  const said = await journey.event('interaction_pending');
  expect(said.payload.interactionId).toBe(second.interactionId);
  expect(said.seq).toBe((await journey.event('interaction_request', (e) => e.payload.attempt === 2)).seq + 1);
  expect((await journey.outcome()).result).toMatchObject({ pending: true, queued: true });
  const { seq } = await journey.event('turn_end');
  await journey.submit(second, { answer: 'at last' });
  expect(await journey.words(seq)).toBe('Noted: answer?\nanswer: at last');
});

test.each(['onTimeout', 'onResponse'] as const)(
  '[INT9] queued: false from %s: no answer will follow, the prompt is closed',
  async (hook) => {
    const journey = await Journey.begin(server);
    const timeoutMs = hook === 'onTimeout' ? 30 : null;
    const outcome = { pending: { message: 'never mind', queued: false } };
    const prompt = await journey.ask('scripted', {
      request: question('answer', { timeoutMs }),
      [hook]: [{ return: outcome }],
    });
    if (hook === 'onResponse') await journey.submit(prompt, { answer: 'x' });
    expect(await journey.outcome()).toEqual({ result: { pending: true, queued: false, message: 'never mind' } });
    expect(journey.settlements(prompt)).toHaveLength(1);
    expect(journey.events('interaction_pending')).toEqual([]);
    expect(await journey.submit(prompt, { answer: 'y' })).toMatchObject({ ok: false });
  },
);

test('[INT9] a late cancel settles the prompt and sends no message', async () => {
  const journey = await Journey.begin(server);
  const onLateResponse = [{ return: { text: 'wrong' } }];
  const prompt = await askInVain(journey, { onLateResponse, notes: 'late-cancel' });
  expect(await journey.answer(prompt, { action: 'cancel' })).toMatchObject({ ok: true });
  expect((await journey.event('interaction_response')).payload).toMatchObject({ action: 'cancel', late: true });
  // A later message of the same session shows that there was none in flight.
  await journey.tab.say(journey.session, 'hello');
  const messages = journey.events('user_message').map(({ payload }) => 'origin' in payload && payload.origin);
  expect(messages).toEqual(['user', 'user']);
  expect(await readEffects(server, 'late-cancel')).toEqual(['onTimeout']);
});

const usual = 'How was it?\nStars: 4';
test.each([
  ['another text', { return: { text: 'Four stars, thank you.' } }, 'Four stars, thank you.'],
  ['nothing', { return: undefined }, usual],
  ['a refusal', { return: { refuse: 'the survey is over' } }, expect.stringContaining('the survey is over')],
  ['an error', { throw: { message: 'broken' } }, usual],
  ['garbage', { return: { text: 7 } }, usual],
  ['a bare text', { return: 'garbage' }, usual],
])('[INT9] onLateResponse gives %s: exactly one message', async (_, step, text) => {
  const journey = await Journey.begin(server);
  const prompt = await askInVain(journey, { onLateResponse: [step] });
  await journey.submit(prompt, { rating: 4 });
  const message = await journey.event('user_message', ({ payload }) => payload.origin === 'interaction');
  expect(message.payload).toMatchObject({ messageId: `late:${prompt.interactionId}`, text });
  await journey.event('turn_end', undefined, message.seq);
  expect(journey.events('user_message', 'message_queued')).toHaveLength(2);
});

test("[INT9, INT17] a secret is redacted from a late hook's message", async () => {
  const journey = await Journey.begin(server);
  const fields = [{ id: 'pin', type: 'secret', label: 'PIN' }];
  const request = { type: 'input', prompt: 'PIN?', timeoutMs: 30, inputSchema: { type: 'form', fields } };
  const onLateResponse = [{ return: { text: 'It was 90210-canary.' } }];
  const prompt = await journey.ask('scripted', { request, onTimeout: [pending], onLateResponse });
  await journey.event('turn_end');
  await journey.submit(prompt, { pin: '90210-canary' });
  const message = await journey.event('user_message', ({ payload }) => payload.origin === 'interaction');
  expect(message.payload.text).toBe('It was [redacted].');
  await journey.event('turn_end', undefined, message.seq);
});

test('[INT9, FRM6] a slow hook blocks nobody, and its message comes once, when the hook is done', async () => {
  const journey = await Journey.begin(server);
  const onLateResponse = [{ until: 'late-hook', return: { text: 'slowly' } }];
  const prompt = await askInVain(journey, { onLateResponse });
  const answer = { action: 'submit', input: { rating: 4 }, answerId: 'late' };
  expect(await journey.answer(prompt, answer)).toMatchObject({ ok: true });
  expect(await journey.answer(prompt, answer)).toMatchObject({ ok: true });
  await release(server, 'late-hook');
  const message = await journey.event('user_message', ({ payload }) => payload.origin === 'interaction');
  expect(message.payload.text).toBe('slowly');
  await journey.event('turn_end', undefined, message.seq);
  expect(journey.events('user_message', 'message_queued')).toHaveLength(2);
});

test('[INT9, INT11] stopping the next turn leaves the pending prompt answerable', async () => {
  const journey = await Journey.begin(server);
  const prompt = await askInVain(journey);
  await journey.ask('scripted', { request: question('other') });
  await journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session });
  expect(journey.settlements(prompt)).toEqual([]);
  expect(await journey.submit(prompt, { rating: 1 })).toMatchObject({ ok: true });
  await journey.event('assistant_done', ({ payload }) => payload.text === 'Noted: How was it?\nStars: 1');
});

test('[INT9, DUR1] a pending prompt survives a restart; a late answer whose hook was lost gets the default message', async () => {
  const own = await startServer({ plugins: [pluginPath('scripted.mjs')] });
  const journey = await Journey.begin(own);
  const prompt = await askInVain(journey, { onLateResponse: [{ return: { text: 'from the hook' } }] });
  const other = await askAgain(journey, { onLateResponse: [{ hang: true }] });
  await journey.submit(other, { answer: 'claimed' });
  await own.restart();
  const back = await journey.join(own);
  await back.event('assistant_done', ({ payload }) => payload.text === 'Noted: answer?\nanswer: claimed');
  expect(await back.submit(prompt, { rating: 2 })).toMatchObject({ ok: true });
  await back.event('assistant_done', ({ payload }) => payload.text === 'Noted: How was it?\nStars: 2');
});

async function askAgain(journey: Journey, scripts: object) {
  const request = question('answer', { timeoutMs: 30 });
  const prompt = await journey.ask('scripted', { request, onTimeout: [pending], ...scripts });
  const isItsOwn = ({ payload }: { payload: { interactionId: string } }) =>
    payload.interactionId === prompt.interactionId;
  const { seq } = await journey.event('interaction_pending', isItsOwn);
  await journey.event('turn_end', undefined, seq);
  return prompt;
}
