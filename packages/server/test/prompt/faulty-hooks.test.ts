import { expect, test } from 'vitest';
import { Journey, loadPlugin, loadShippedPlugin, question } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadPlugin('scripted.mjs'), await loadShippedPlugin('ask-user')] });

test.each([
  ['throws', 'scripted', { throw: { message: 'broken pipe' } }, { code: 'handler_error', message: 'broken pipe' }],
  [
    'throws a code',
    'scripted',
    { throw: { code: 'no_stock', message: 'gone' } },
    { code: 'no_stock', message: 'gone' },
  ],
  ['hangs', 'impatient', { hang: true }, { code: 'handler_timeout' }],
  ['returns nothing', 'scripted', {}, { code: 'invalid_outcome' }],
  ['returns a text', 'scripted', { return: 'yes' }, { code: 'invalid_outcome' }],
  ['returns a list', 'scripted', { return: [] }, { code: 'invalid_outcome' }],
  ['returns an unknown verdict', 'scripted', { return: { approve: true } }, { code: 'invalid_outcome' }],
  ['returns two verdicts', 'scripted', { return: { complete: 1, reprompt: {} } }, { code: 'invalid_outcome' }],
  ['reprompts with nonsense', 'scripted', { return: { reprompt: 'again' } }, { code: 'invalid_outcome' }],
  [
    'reprompts with a broken form',
    'scripted',
    { return: { reprompt: { inputSchema: {} } } },
    { code: 'invalid_outcome' },
  ],
  ['goes pending without words', 'scripted', { return: { pending: {} } }, { code: 'invalid_outcome' }],
])('[INT12] an onResponse that %s rejects with a code, which becomes the result', async (_, tool, step, error) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask(tool, { request: question(), onResponse: [step] });
  expect(await journey.submit(prompt, { answer: 'x' })).toMatchObject({ ok: true });
  expect((await journey.outcome()).error).toMatchObject(error);
  expect(journey.settlements(prompt)).toMatchObject([{ type: 'interaction_response' }]);
  expect(await journey.words()).toContain(`"code":"${error.code}"`);
  expect((await journey.event('turn_end')).payload.status).toBe('completed');
});

test('[INT12] a handler can catch it and continue', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('catching', { request: question(), onResponse: [{ throw: { message: 'x' } }] });
  await journey.submit(prompt, { answer: 'x' });
  expect(await journey.outcome()).toEqual({ result: { code: 'handler_error' } });
});

test.each([
  ['returns', false],
  ['throws', true],
])('[INT12] a handler that %s with its prompt open closes it', async (_, fails) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('hasty', { request: question(), fails });
  const outcome = await journey.outcome();
  expect(outcome).toEqual(fails ? { error: { code: 'tool_error', message: 'gone' } } : { result: 'gone' });
  expect(journey.settlements(prompt)).toMatchObject([{ type: 'interaction_closed' }]);
  expect(await journey.submit(prompt, { answer: 'x' })).toMatchObject({ error: { code: 'closed' } });
});

test('[INT12] afterwards the server still asks and gets an answer', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('ask_user', { question: 'Still there?' });
  await journey.submit(prompt, { answer: 'yes' });
  expect(await journey.outcome()).toEqual({ result: { ok: true, answer: 'yes' } });
});
