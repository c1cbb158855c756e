import { expect, test } from 'vitest';
import { Journey, loadPlugin, question } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs')] });

test.each([
  ['an object', { ok: true, nested: { list: [1, null, 'two'] } }],
  ['a text', 'plain'],
  ['a number', 0],
  ['false', false],
  ['null', null],
])('[INT7] complete resolves with %s, and the model reads it', async (_, value) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', { request: question(), onResponse: [{ return: { complete: value } }] });
  await journey.submit(prompt, { answer: 'x' });
  expect(await journey.outcome()).toEqual({ result: value });
  expect(await journey.words()).toBe(`scripted returned: ${JSON.stringify(value)}`);
});

test('[INT7] without a hook the promise resolves with the answer and who gave it', async () => {
  const journey = await Journey.begin(server, { label: 'Ada' });
  const prompt = await journey.ask('scripted', { request: question() });
  await journey.submit(prompt, { answer: 'tea' });
  expect((await journey.outcome()).result).toMatchObject({
    interactionId: prompt.interactionId,
    action: 'submit',
    input: { answer: 'tea' },
    by: { clientId: journey.tab.clientId, label: 'Ada', transport: 'ws' },
  });
});

test("[INT11] a user's cancel is an answer and goes to onResponse", async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', {
    request: question(),
    onResponse: [{ return: { complete: '$answer' } }],
    onCancel: [{ throw: { message: 'not asked' } }],
  });
  await journey.answer(prompt, { action: 'cancel', reason: 'busy' });
  expect((await journey.outcome()).result).toMatchObject({ action: 'cancel', reason: 'busy' });
});

test('[INT6] an empty optional field is absent, and an omitted scope is once', async () => {
  const journey = await Journey.begin(server);
  const form = await journey.ask('scripted', { request: question() });
  await journey.submit(form, { answer: '' });
  expect((await journey.outcome(form)).result).toMatchObject({ input: {} });
  expect((await journey.event('interaction_response')).payload.input).toEqual({});

  const approval = await journey.ask('scripted', { request: { type: 'approval' } });
  await journey.answer(approval, { action: 'approve' });
  expect((await journey.outcome(approval)).result).toMatchObject({ action: 'approve', approvalScope: 'once' });
});

test('[INT7] a url prompt has its address, and approving is consent to open it', async () => {
  const journey = await Journey.begin(server);
  const request = { type: 'url', title: 'Sign in', url: 'https://example.org/login?x=1', risk: 'low' };
  const prompt = await journey.ask('scripted', { request });
  expect(prompt).toMatchObject({ interactionType: 'url', url: request.url, risk: 'low', title: 'Sign in' });
  expect(prompt.approvalScopes).toBeUndefined();
  await journey.answer(prompt, { action: 'approve' });
  expect((await journey.outcome()).result).toMatchObject({ action: 'approve' });
  expect((await journey.event('interaction_response')).payload).not.toHaveProperty('approvalScope');
});

test('[INT1, INT2, INT10] a request has all that a tab needs: ids, slot, presentation, deadline, digest, source', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', {
    request: question('colour', { title: 'T', completedView: { showInputs: false }, presentation: 'composer' }),
  });
  const { timestamp } = await journey.event('interaction_request');
  expect(prompt).toMatchObject({
    interactionId: `${prompt.toolCallId}.1`,
    slot: '1',
    attempt: 1,
    toolName: 'scripted',
    title: 'T',
    prompt: 'colour?',
    presentation: 'composer',
    completedView: { showInputs: false },
    source: { kind: 'tool', name: 'scripted' },
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    timeoutMs: 300_000,
    onUnavailable: 'error',
  });
  expect(Date.parse(prompt.expiresAt!) - Date.parse(timestamp)).toBe(300_000);

  const forever = await journey.join(server);
  await journey.answer(prompt, { action: 'cancel' });
  const open = await forever.ask('scripted', { request: question('x', { timeoutMs: null, key: 'mine' }) });
  expect(open).toMatchObject({ slot: 'mine', interactionId: `${open.toolCallId}.1`, presentation: 'tool' });
  expect(open).not.toHaveProperty('expiresAt');
  await forever.answer(open, { action: 'cancel' });
});

test.each([
  ['no request', undefined],
  ['an unknown type', { type: 'poll' }],
  ['an input without a form', { type: 'input' }],
  ['a form with a field twice', question('a', { inputSchema: form('a', 'a') })],
  ['a field named like a prototype member', question('a', { inputSchema: form('constructor') })],
  ['a url that is no web address', { type: 'url', url: 'javascript:alert(1)' }],
  ['a key that could be a slot number', question('a', { key: '7' })],
])("[PLG6] %s is the author's mistake: a tool error with a message, and no prompt", async (_, request) => {
  const journey = await Journey.begin(server);
  const { error } = await journey.run('scripted', { request });
  expect(error).toMatchObject({ code: 'tool_error', message: expect.stringContaining('requestInteraction') });
  expect(journey.events('interaction_request')).toEqual([]);
});

function form(...ids: string[]): object {
  return { type: 'form', fields: ids.map((id) => ({ id, type: 'text' })) };
}
