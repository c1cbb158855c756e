import { expect, test } from 'vitest';
import { Journey, loadPlugin, question, release } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs')] });

const submitted = (text: string, answerId?: string) => ({
  action: 'submit',
  input: { answer: text },
  ...(answerId !== undefined && { answerId }),
});
const open = { request: question('answer', { timeoutMs: null }) };

test('[INT5] a missing prompt, call or session is not found', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', open);
  const elsewhere = await Journey.begin(server);
  const notFound = { ok: false, error: { code: 'not_found' } };
  expect(await journey.submit({ ...prompt, interactionId: `${prompt.toolCallId}.9` }, {})).toMatchObject(notFound);
  expect(await journey.submit({ ...prompt, toolCallId: 'another' }, { answer: 'x' })).toMatchObject(notFound);
  expect(await elsewhere.submit(prompt, { answer: 'x' })).toMatchObject(notFound);
  expect(await journey.tab.answer('no-session', prompt, submitted('x'))).toMatchObject(notFound);
  expect(journey.settlements(prompt)).toEqual([]);
});

test('[INT5, INT15] a disabled client is refused whatever else is wrong, and nothing is settled', async () => {
  const journey = await Journey.begin(server);
  const reader = await journey.join(server, { enabled: false });
  const prompt = await journey.ask('scripted', open);
  await reader.event('interaction_request');
  for (const answer of [submitted('x'), { action: 'approve' }, { ...submitted('x'), digest: 'other' }]) {
    expect(await reader.answer(prompt, answer)).toMatchObject({ error: { code: 'interaction_disabled' } });
  }
  expect(await journey.answer(prompt, submitted('x'))).toMatchObject({ ok: true });
  expect(await reader.answer(prompt, submitted('y'))).toMatchObject({ error: { code: 'interaction_disabled' } });
});

test('[INT5, FRM6] the winning answerId gets the same reply again, and a conflict with other content', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', open);
  const first = await journey.answer(prompt, submitted('x', 'a1'));
  expect(first).toMatchObject({ ok: true, result: { seq: expect.any(Number) } });
  const { seq } = await journey.event('interaction_response');
  expect(first).toMatchObject({ result: { seq } });
  expect(await journey.answer(prompt, submitted('x', 'a1'))).toMatchObject({ ok: true, result: { seq } });
  for (const other of [submitted('y', 'a1'), { action: 'cancel', answerId: 'a1' }]) {
    expect(await journey.answer(prompt, other)).toMatchObject({ error: { code: 'idempotency_conflict' } });
  }
  const other = await journey.join(server);
  expect(await other.answer(prompt, submitted('x', 'a1'))).toMatchObject({ ok: true, result: { seq } });
  expect(journey.settlements(prompt)).toHaveLength(1);
});

test('[INT5] the second to answer learns who won, when and with what', async () => {
  const journey = await Journey.begin(server, { label: 'Ada' });
  const second = await journey.join(server);
  const prompt = await journey.ask('scripted', open);
  await journey.answer(prompt, submitted('x'));
  const event = await second.event('interaction_response');
  const { error } = (await second.answer(prompt, submitted('y'))) as { error: { code: string; details: object } };
  expect(error).toMatchObject({
    code: 'already_answered',
    message: expect.any(String),
    details: { by: { clientId: journey.tab.clientId, label: 'Ada' }, at: event.timestamp, event },
  });
  expect(error.details).not.toHaveProperty('current');
});

test('[INT5] an answer to an answered attempt gets the current prompt', async () => {
  const journey = await Journey.begin(server);
  const onResponse = [{ return: { reprompt: { error: 'again' } } }, { return: { complete: 'done' } }];
  const first = await journey.ask('scripted', { ...open, onResponse });
  await journey.answer(first, submitted('x'));
  const second = await journey.next(first);
  expect(await journey.answer(first, submitted('y'))).toMatchObject({
    error: { code: 'already_answered', details: { current: second.interactionId, event: { seq: expect.any(Number) } } },
  });
  await journey.answer(second, { action: 'cancel' });
});

test('[INT5] an answer to a replaced prompt, or to another form than the one shown, is stale', async () => {
  const journey = await Journey.begin(server);
  const first = await journey.ask('scripted', {
    request: question('answer', { timeoutMs: 30 }),
    onTimeout: [{ return: { reprompt: { timeoutMs: null, prompt: 'Again?' } } }],
  });
  const second = await journey.next(first);
  const stale = { error: { code: 'stale', details: { current: second.interactionId } } };
  expect(await journey.answer(first, submitted('x'))).toMatchObject(stale);
  expect(await journey.answer(second, { ...submitted('x'), digest: first.digest })).toMatchObject(stale);
  expect(await journey.answer(second, { action: 'approve', digest: first.digest })).toMatchObject(stale);
  expect(await journey.answer(second, { ...submitted('x'), digest: second.digest })).toMatchObject({ ok: true });
});

test('[INT5] retry_later comes before invalid, stale before retry_later', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', {
    request: question('answer', { timeoutMs: 30 }),
    onTimeout: [{ until: 'refusals', return: { complete: 'over' } }],
  });
  await journey.event('interaction_expired');
  expect(await journey.answer(prompt, { action: 'approve' })).toMatchObject({ error: { code: 'retry_later' } });
  expect(await journey.answer(prompt, { ...submitted('x'), digest: 'other' })).toMatchObject({
    error: { code: 'stale' },
  });
  await release(server, 'refusals');
  await journey.outcome();
});

test.each([
  ['timeout', { request: question('answer', { timeoutMs: 30 }) }],
  ['cancelled', open],
] as const)('[INT5] a prompt that ended without an answer is closed: %s', async (reason, args) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', args);
  if (reason === 'cancelled') await journey.tab.ask({ type: 'cancel_turn', sessionId: journey.session });
  await journey.event('interaction_closed');
  expect(await journey.answer(prompt, submitted('x'))).toMatchObject({
    ok: false,
    error: { code: 'closed', details: { reason } },
  });
});

test('[INT5, INT6] an invalid answer is refused by field, and the prompt stays open', async () => {
  const journey = await Journey.begin(server);
  const inputSchema = { type: 'form', fields: [{ id: 'n', type: 'number', required: true, min: 1 }] };
  const prompt = await journey.ask('scripted', { request: { type: 'input', inputSchema } });
  for (const [input, field] of [
    [{}, 'n'],
    [{ n: 0 }, 'n'],
    [{ n: '1' }, 'n'],
    [{ n: 1, more: 2 }, 'more'],
  ] as const) {
    const reply = await journey.submit(prompt, input);
    expect(reply).toMatchObject({
      error: { code: 'invalid', details: { fieldErrors: { [field]: expect.any(String) } } },
    });
  }
  expect(journey.settlements(prompt)).toEqual([]);
  expect(await journey.submit(prompt, { n: 1 })).toMatchObject({ ok: true });
});

test.each([
  ['input', open.request, ['approve', 'deny']],
  ['approval', { type: 'approval' }, ['submit']],
  ['url', { type: 'url', url: 'https://example.org' }, ['submit']],
] as const)('[INT6] %s prompts accept their own actions only', async (_, request, actions) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', { request });
  for (const action of actions) {
    expect(await journey.answer(prompt, { action })).toMatchObject({
      error: {
        code: 'invalid',
        message: expect.stringContaining('does not answer this prompt'),
        details: { fieldErrors: { action: expect.any(String) } },
      },
    });
  }
  expect(await journey.answer(prompt, { action: 'cancel' })).toMatchObject({ ok: true });
});

test('[INT6] a scope must have been offered, values belong to forms, edits to what is editable', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', { request: { type: 'approval', approvalScopes: ['once', 'session'] } });
  for (const [fault, member] of [
    [{ approvalScope: 'always' }, 'approvalScope'],
    [{ input: { answer: 'x' } }, 'input'],
    [{ editedArgs: { a: 1 } }, 'editedArgs'],
  ] as const) {
    expect(await journey.answer(prompt, { action: 'approve', ...fault })).toMatchObject({
      error: { code: 'invalid', details: { fieldErrors: { [member]: expect.any(String) } } },
    });
  }
  expect(await journey.answer(prompt, { action: 'approve', approvalScope: 'session' })).toMatchObject({ ok: true });
});

test('[INT5, FRM1] without a requestId a refusal comes as an error frame', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', open);
  const { toolCallId: callId, interactionId } = prompt;
  journey.tab.send({
    type: 'tool_interaction_response',
    sessionId: journey.session,
    callId,
    interactionId,
    action: 'deny',
  });
  expect(await journey.tab.waitFor('error')).toMatchObject({ code: 'invalid', message: expect.any(String) });
  await journey.answer(prompt, { action: 'cancel' });
});
