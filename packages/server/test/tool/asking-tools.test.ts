import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer();

const request = { title: 'Deploy?', subject: { kind: 'command', text: 'make deploy' } };

/** Returns the members of a result that say who answered a prompt, from its event. */
function answererOf(journey: Journey, prompt: InteractionRequest) {
  const [settled] = journey.settlements(prompt);
  if (settled?.type !== 'interaction_response') throw new Error('nobody answered');
  const { principal, name } = settled.payload.by;
  return { by: { principal, ...(name !== undefined && { name }) }, at: settled.timestamp };
}

test('[ASK3, DUR1] ask_human gives one answer to one question, even if the server is killed in between', async () => {
  const own = await startServer();
  const before = await Journey.begin(own);
  const options = [{ label: 'Tea' }, { label: 'Coffee' }];
  const prompt = await before.ask('ask_human', { question: 'What to drink?', options, other: true });
  expect(prompt).not.toHaveProperty('expiresAt');
  await own.restart();
  const journey = await before.join(own);
  expect(await journey.submit(prompt, { answer: { other: 'Water' } })).toMatchObject({ ok: true });
  const result = { ok: true, answer: 'Water', ...answererOf(journey, prompt) };
  expect(await journey.outcome(prompt)).toEqual({ result });
  await own.restart();
  const after = await before.join(own);
  await after.event('turn_end');
  expect(after.events('interaction_request', 'interaction_response', 'tool_result').map(({ type }) => type)).toEqual([
    'interaction_request',
    'interaction_response',
    'tool_result',
  ]);
  expect(await after.outcome(prompt)).toEqual({ result });
});

test('[ASK3, INT17] a secret leaves no trace in the result, which still says who gave it', async () => {
  const journey = await Journey.begin(server);
  const form = { type: 'form', fields: [{ id: 'key', type: 'secret', label: 'Key' }] };
  const prompt = await journey.ask('ask_human', { question: 'Which key?', form });
  await journey.submit(prompt, { key: 'correct horse' });
  expect(await journey.outcome(prompt)).toEqual({
    result: { ok: true, values: { key: '[redacted]' }, ...answererOf(journey, prompt) },
  });
});

test('[ASK3, INT10] a deadline that the caller sets expires', async () => {
  const journey = await Journey.begin(server);
  const question = await journey.ask('ask_human', { question: 'Anyone?', timeoutSeconds: 0.05 });
  expect(await journey.outcome(question)).toEqual({ result: { ok: false, error: 'timeout' } });
  const approval = await journey.ask('request_approval', { ...request, timeoutSeconds: 0.05 });
  expect(await journey.outcome(approval)).toMatchObject({ result: { approved: false, error: 'timeout' } });
});

test('[ASK3] an approval for the session covers only the same request, for a day', async () => {
  const journey = await Journey.begin(server);
  const lasting = { ...request, scopes: ['once', 'session'] };
  const first = await journey.ask('request_approval', lasting);
  expect(first).toMatchObject({ approvalScopes: ['once', 'session'], sessionTtlMs: 24 * 3_600_000 });
  await journey.answer(first, { action: 'approve', approvalScope: 'session' });
  const given = { approved: true, scope: 'session' };
  expect(await journey.outcome(first)).toEqual({ result: { ...given, ...answererOf(journey, first) } });
  await journey.event('turn_end');
  expect(await journey.run('request_approval', lasting)).toEqual({ result: given });
  const other = await journey.ask('request_approval', { ...lasting, args: { branch: 'next' } });
  await journey.answer(other, { action: 'deny', reason: 'Another branch.' });
  expect(await journey.outcome(other)).toMatchObject({ result: { approved: false, reason: 'Another branch.' } });
});

test.each([{ scopes: ['once'] }, {}])(
  '[ASK3, APR2] an earlier approval for the session does not answer a caller who offers only once: %j',
  async (offered) => {
    const journey = await Journey.begin(server);
    const first = await journey.ask('request_approval', { ...request, scopes: ['once', 'session'] });
    await journey.answer(first, { action: 'approve', approvalScope: 'session' });
    await journey.event('turn_end');
    const again = await journey.ask('request_approval', { ...request, ...offered });
    await journey.answer(again, { action: 'deny', reason: 'Not this time.' });
    expect(await journey.outcome(again)).toMatchObject({ result: { approved: false, reason: 'Not this time.' } });
  },
);

test('[ASK3] permission shows its arguments, and opens nothing; a denial is returned to the program', async () => {
  const journey = await Journey.begin(server);
  const input = { file_path: '/nowhere/at/all', content: 'x' };
  const prompt = await journey.ask('permission', { tool_name: 'Write', input, tool_use_id: 'toolu_1' });
  expect(prompt).toMatchObject({ title: 'Write /nowhere/at/all', approvalScopes: ['once'], subject: { kind: 'diff' } });
  await journey.answer(prompt, { action: 'deny', reason: 'Elsewhere.' });
  expect(await journey.outcome(prompt)).toEqual({ result: { behavior: 'deny', message: 'Elsewhere.' } });
});

test('[ASK3, OPS3] a stop of the server is not a denial: the prompt is open afterwards', async () => {
  const own = await startServer();
  const before = await Journey.begin(own);
  const input = { command: 'make' };
  const prompt = await before.ask('permission', { tool_name: 'Bash', input });
  expect(await own.kill('SIGTERM')).toBe(0);
  await own.restart();
  const journey = await before.join(own);
  await journey.answer(prompt, { action: 'approve' });
  expect(await journey.outcome(prompt)).toEqual({ result: { behavior: 'allow', updatedInput: input } });
  expect(journey.events('interaction_request', 'tool_result')).toHaveLength(2);
});

test('[ASK3] tell_human is a call with a result, without a prompt', async () => {
  const journey = await Journey.begin(server);
  expect(await journey.run('tell_human', { text: 'Done.' })).toEqual({ result: { ok: true } });
  expect(journey.events('interaction_request')).toEqual([]);
});

test.each([
  ['ask_human', { question: 'Which?', options: [{ label: 'a' }], multiple: true, form: {} }, /does not go with/],
  ['ask_human', { question: 'Which?', decide: { approve: 2 } }, /Unrecognized key: "decide"/],
  ['request_approval', { ...request, decide: { approve: 0 } }, /decide/],
  ['request_approval', { ...request, votes: 2 }, /Unrecognized key: "votes"/],
  ['permission', { tool_name: 'Bash' }, /input: the tool's arguments are missing/],
  ['tell_human', {}, /text is missing/],
])('[ASK3] %s refuses %j with an explanation', async (toolName, args, words) => {
  const journey = await Journey.begin(server);
  const error = { code: 'invalid_args', message: expect.stringMatching(words) };
  expect(await journey.run(toolName, args)).toEqual({ error });
});

test('[ASK3] no mode and no policy answers for a person, and a policy that denies stops the call', async () => {
  const own = await startServer();
  const config = join(own.dataDir, 'parley.config.json');
  for (const effect of ['allow', 'ask'] as const) {
    await writeFile(config, JSON.stringify({ policies: [{ tool: '*', effect }] }));
    await own.restart({ args: ['--no-auth', '--config', config] });
    const journey = await Journey.begin(own);
    const mode = { type: 'update_session', sessionId: journey.session, permissionMode: 'bypassPermissions' };
    expect(await journey.tab.request(mode as never)).toMatchObject({ ok: true });
    const approval = await journey.ask('request_approval', request);
    expect(approval).toMatchObject({ title: 'Deploy?', source: { kind: 'tool' } });
    await journey.answer(approval, { action: 'approve' });
    expect(await journey.outcome(approval)).toMatchObject({ result: { approved: true, scope: 'once' } });
  }
  await writeFile(config, JSON.stringify({ policies: [{ tool: 'ask_*', effect: 'deny' }] }));
  await own.restart();
  const journey = await Journey.begin(own);
  expect((await journey.run('ask_human', { question: 'Well?' })).error?.code).toBe('denied');
});

test('[ASK3, TEAM1] the audience of a caller only narrows what the configuration allows', async () => {
  const own = await startServer();
  const config = join(own.dataDir, 'parley.config.json');
  await writeFile(config, JSON.stringify({ policies: [{ tool: 'ask_human', audience: { role: 'operator' } }] }));
  await own.restart({ args: ['--no-auth', '--config', config] });
  const journey = await Journey.begin(own);
  const wide = await journey.ask('ask_human', { question: 'Well?', audience: { role: 'responder' } });
  expect(wide.audience).toEqual({ role: 'operator' });
});
