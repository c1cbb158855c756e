import { expect, test } from 'vitest';
import { Journey, loadShippedPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadShippedPlugin('ask-user')] });

const request = { title: 'Deploy?', subject: { kind: 'command', text: 'make deploy' }, reasonRequired: ['deny'] };

test('[TEAM5] a denial that requires a reason is refused without one, and the tool gets the reason', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('request_approval', request);
  expect(prompt.reasonRequired).toEqual(['deny']);
  expect(await journey.answer(prompt, { action: 'deny' })).toMatchObject({
    ok: false,
    error: { code: 'invalid', details: { fieldErrors: { reason: 'This answer must say why.' } } },
  });
  expect(await journey.answer(prompt, { action: 'deny', reason: 'Not on a Friday.' })).toMatchObject({ ok: true });
  expect(await journey.outcome(prompt)).toMatchObject({ result: { approved: false, reason: 'Not on a Friday.' } });
});

test('[TEAM5, PLG8] a form has no separate reason, and an approval cannot be submitted', async () => {
  const journey = await Journey.begin(server);
  const outcome = await journey.run('request_approval', { ...request, reasonRequired: ['submit'] });
  expect(outcome).toMatchObject({ error: { code: 'invalid_args' } });
});

test('[REV2] a program that takes words only with a denial says so in its prompt', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('permission', { tool_name: 'Bash', input: { command: 'make' } });
  expect(prompt.wordsOnlyWithDenial).toBe(true);
  await journey.answer(prompt, { action: 'deny', reason: 'Not on a Friday.' });
  expect(await journey.outcome(prompt)).toMatchObject({ result: { behavior: 'deny', message: 'Not on a Friday.' } });
  expect((await journey.ask('request_approval', request)).wordsOnlyWithDenial).toBeUndefined();
});
