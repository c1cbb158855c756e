import { expect, test } from 'vitest';
import { Journey, loadPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs')] });

const fields = [
  { id: 'name', type: 'text', label: 'Name', required: true },
  { id: 'age', type: 'number', label: 'Age', required: true, max: 150 },
];
const actions = [
  { id: 'back', label: 'Back', keepsInput: true },
  { id: 'skip', label: 'Skip this' },
];
const request = { type: 'input', prompt: 'Who?', inputSchema: { type: 'form', fields }, actions };

test('[PLG11] a custom button answers with what was typed so far, and requires no fields', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', { request });
  expect(prompt.actions).toEqual(actions);
  const press = { action: 'submit', button: 'back', input: { name: 'Ada' } };
  expect(await journey.answer(prompt, { ...press, input: { age: 200 } })).toMatchObject({
    error: { code: 'invalid', details: { fieldErrors: { age: 'Must be at most 150.' } } },
  });
  expect(await journey.answer(prompt, { ...press, answerId: 'once' })).toMatchObject({ ok: true });
  expect((await journey.event('interaction_response')).payload).toMatchObject(press);
  expect(await journey.outcome()).toMatchObject({ result: press });
  expect(await journey.answer(prompt, { ...press, answerId: 'once' })).toMatchObject({ ok: true });
  expect(await journey.answer(prompt, { ...press, button: 'skip', answerId: 'once' })).toMatchObject({
    error: { code: 'idempotency_conflict' },
  });
});

test('[PLG11, INT6] a button that keeps no values accepts none, and a button that was not offered is refused', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('scripted', { request });
  const refused = async (answer: object) =>
    expect(await journey.answer(prompt, { action: 'submit', ...answer })).toMatchObject({ error: { code: 'invalid' } });
  await refused({ button: 'skip', input: { name: 'Ada' } });
  await refused({ button: 'nope' });
  await refused({ button: 'back', action: 'cancel' });
  expect(await journey.answer(prompt, { action: 'submit', button: 'skip' })).toMatchObject({ ok: true });
  expect(await journey.outcome()).toMatchObject({ result: { action: 'submit', button: 'skip', input: {} } });
});

test('[PLG11, DUR5] the buttons are part of the digest', async () => {
  const journey = await Journey.begin(server);
  const { digest } = await journey.ask('scripted', { request });
  await journey.answer({ ...(await journey.event('interaction_request')).payload }, { action: 'cancel' });
  const { seq } = await journey.event('turn_end');
  await journey.call('scripted', { request: { ...request, actions: actions.slice(1) } });
  const other = await journey.event('interaction_request', undefined, seq);
  expect(other.payload.digest).not.toBe(digest);
});

test('[PLG11, PLG8] buttons on an approval, or two with one id, are refused when they are passed', async () => {
  const journey = await Journey.begin(server);
  const { error } = await journey.run('scripted', { request: { type: 'approval', actions } });
  expect(error).toMatchObject({ code: 'tool_error', message: expect.stringContaining('actions') });
  const twice = await journey.run('scripted', { request: { ...request, actions: [actions[0], actions[0]] } });
  expect(twice.error?.message).toContain('two buttons of one id');
});

test('[PLG11, INT9] a pending prompt stays answerable as long as its hook specifies', async () => {
  const journey = await Journey.begin(server);
  const onTimeout = [{ return: { pending: { message: 'Later.', ttlMs: 120_000 } } }];
  await journey.call('scripted', { request: { ...request, timeoutMs: 50 }, onTimeout });
  const { payload, timestamp } = await journey.event('interaction_pending');
  expect(Date.parse(payload.expiresAt ?? '') - Date.parse(timestamp)).toBe(120_000);
  await journey.outcome();
  const refused = [{ return: { pending: { message: 'Later.', ttlMs: 0 } } }];
  const { error } = await journey.run('scripted', { request: { ...request, timeoutMs: 50 }, onTimeout: refused });
  expect(error).toMatchObject({ code: 'invalid_outcome', message: expect.stringContaining('pending.ttlMs') });
});
