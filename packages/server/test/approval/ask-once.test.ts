import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { ServerProcess } from '../support/server-process.ts';

let server: ServerProcess;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-ask-once-'));
  const config = join(folder, 'ask.config.json');
  await writeFile(config, JSON.stringify({ policies: [{ tool: '*', effect: 'ask' }] }));
  server = await ServerProcess.start({ plugins: [pluginPath('rules.mjs')], args: ['--no-auth', '--config', config] });
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true });
});

test('[APR3] a tool that asks by itself causes one question even if a policy asks, too, and gets the reason', async () => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask('confident', { path: 'same' });
  expect(gate.interactionId).toBe(`${gate.toolCallId}.0`);
  await journey.answer(gate, { action: 'approve', reason: 'Fine by me.' });
  expect(await journey.outcome(gate)).toEqual({
    result: { approved: true, scope: 'once', args: { path: 'same' }, reason: 'Fine by me.' },
  });
  expect(journey.events('interaction_request')).toHaveLength(1);
});

test('[APR3] an approval at the gate covers what was edited there', async () => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask('confident', { path: 'theirs' });
  await journey.answer(gate, { action: 'approve', editedArgs: { path: 'mine' } });
  expect(await journey.outcome(gate)).toMatchObject({ result: { approved: true, args: { path: 'mine' } } });
});

test.each(['more', 'operators'])('[APR3] if the tool asks for %s than the gate, a person is asked', async (path) => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask('confident', { path });
  await journey.answer(gate, { action: 'approve' });
  if (path === 'operators') {
    expect(await journey.outcome(gate)).toMatchObject({ error: { code: 'interaction_unavailable' } });
  } else {
    const own = await journey.event('interaction_request', ({ payload }) => payload.slot !== '$gate');
    await journey.answer(own.payload, { action: 'deny' });
    expect(await journey.outcome(gate)).toMatchObject({ result: { approved: false } });
  }
});

test.each([
  ['unannounced', 'title'],
  ['unannounced', 'prompt'],
  ['unannounced', 'risk'],
  ['worded', 'title'],
  ['worded', 'prompt'],
  ['worded', 'subject'],
  ['worded', 'risk'],
])('[APR2, APR3] an approval at the gate does not cover what it has not shown: %s, another %s', async (tool, path) => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask(tool, { path });
  await journey.answer(gate, { action: 'approve' });
  const own = await journey.event('interaction_request', ({ payload }) => payload.slot !== '$gate');
  await journey.answer(own.payload, { action: 'deny' });
  expect(await journey.outcome(gate)).toMatchObject({ result: { approved: false } });
});

test("[APR3] the gate asks with the tool's wording, and the tool then does not ask again, even if a grant answered", async () => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask('worded', { path: 'a' });
  expect(gate).toMatchObject({ title: 'Wipe?', prompt: 'At a.', subject: { text: 'rm a' }, risk: 'medium' });
  await journey.answer(gate, { action: 'approve', approvalScope: 'session' });
  await journey.event('turn_end');
  expect(await journey.run('worded', { path: 'a' })).toMatchObject({ result: { approved: true } });
  expect(journey.events('interaction_request')).toHaveLength(1);
});

test('[APR2, APR3] an approval of an edit covers what was typed, not how the tool then describes it', async () => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask('worded', { path: 'b' });
  await journey.answer(gate, { action: 'approve', editedArgs: { path: 'c' } });
  const own = await journey.event('interaction_request', ({ payload }) => payload.slot !== '$gate');
  expect(own.payload).toMatchObject({ prompt: 'At c.', subject: { text: 'rm c' } });
  await journey.answer(own.payload, { action: 'deny' });
  expect(await journey.outcome(gate)).toMatchObject({ result: { approved: false } });

  const shipped = await Journey.begin(server);
  const command = await shipped.ask('run_command', { command: 'echo once' });
  await shipped.answer(command, { action: 'approve', editedArgs: { command: 'echo twice' } });
  expect(await shipped.outcome(command)).toMatchObject({ result: { output: 'twice\n' } });
  expect(shipped.events('interaction_request')).toHaveLength(1);
});

test('[PLG8] a tool that describes its call with an unknown member does not run', async () => {
  const journey = await Journey.begin(server);
  expect(await journey.run('worded', { path: 'typo' })).toMatchObject({
    error: { code: 'tool_error', message: expect.stringContaining('there is no "titel". Did you mean "title"?') },
  });
});

test.each([
  ['run_command', { command: 'echo once' }, { output: 'once\n' }],
  ['delete_files', { files: ['a.txt', 'b.txt'] }, { ok: true }],
])('[APR3] a policy asks about a shipped tool once: %s', async (tool, args, result) => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask(tool, args);
  expect(gate).toMatchObject({ slot: '$gate', risk: 'high' });
  await journey.answer(gate, { action: 'approve' });
  expect(await journey.outcome(gate)).toMatchObject({ result });
  expect(journey.events('interaction_request')).toHaveLength(1);
});

test('[APR3] one approval answers one question: the second is asked', async () => {
  const journey = await Journey.begin(server);
  const gate = await journey.ask('wipe_twice', { path: 'tmp/a' });
  await journey.answer(gate, { action: 'approve' });
  const own = await journey.event('interaction_request', ({ payload }) => payload.title === 'And this?');
  await journey.answer(own.payload, { action: 'deny' });
  expect(await journey.outcome(gate)).toEqual({ result: [true, false] });
});

test('[APR3] a grant of the gate answers a tool that offers as much, and not one that asks every time', async () => {
  const journey = await Journey.begin(server);
  await journey.answer(await journey.ask('confident', { path: 'kept' }), {
    action: 'approve',
    approvalScope: 'session',
  });
  await journey.event('turn_end');
  expect(await journey.run('confident', { path: 'kept' })).toMatchObject({ result: { approved: true } });
  expect(journey.events('interaction_request')).toHaveLength(1);

  const other = await Journey.begin(server);
  await other.answer(await other.ask('wipe', { path: 'tmp/a' }), { action: 'approve', approvalScope: 'session' });
  await other.event('turn_end');
  const again = await other.ask('wipe', { path: 'tmp/a' });
  expect(again.slot).not.toBe('$gate');
  await other.answer(again, { action: 'deny' });
});
