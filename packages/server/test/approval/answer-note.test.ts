import { afterAll, beforeAll, expect, test } from 'vitest';
import { Journey, pluginPath } from '../support/journey.ts';
import { ServerProcess } from '../support/server-process.ts';

const plugins = [pluginPath('approve.mjs')];
let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({ plugins });
});
afterAll(() => server.remove());

test.each([
  ['guarded', {}, 'at the gate'],
  ['run_command', { command: 'echo ran' }, 'of a command'],
  ['delete_files', { files: ['no-such-file.txt'] }, 'of a deletion'],
])('[APR5] the reason of an approval of %s %j is in the result that the model reads, %s', async (toolName, args, _) => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask(toolName, args);
  await journey.answer(prompt, { action: 'approve', reason: 'Only on “staging”.' });
  expect(await journey.words()).not.toContain('staging'); // everybody reads what the scripted agent writes
  const [result] = journey.events('tool_result');
  expect(result?.payload).toMatchObject({ note: 'A person said yes: “Only on “staging”.”' });
});

test('[APR5] a reason that the tool reports itself is not repeated, and an approval without a reason adds nothing', async () => {
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('touch', { path: 'a' });
  await journey.answer(prompt, { action: 'approve', reason: 'Told.' });
  expect((await journey.words()).match(/Told\./g)).toHaveLength(1);
  expect(journey.events('tool_result')[0]?.payload.note).toBeUndefined();
  const quiet = await Journey.begin(server);
  await quiet.answer(await quiet.ask('guarded'), { action: 'approve' });
  expect(await quiet.words()).toBe('guarded returned: "ran"');
});

test('[APR2, APR5] the model learns that the arguments were edited, also after kill -9', async () => {
  const own = await ServerProcess.start({ plugins });
  const before = await Journey.begin(own);
  const gate = await before.ask('wipe', { path: 'a', wait: true });
  await before.answer(gate, { action: 'approve', reason: 'Careful.' });
  const open = await before.event('interaction_request', ({ payload }) => payload.prompt === 'And then?');
  await own.kill();
  await own.restart();
  const journey = await before.join(own);
  await journey.answer(open.payload, { action: 'approve', reason: 'And well.' });
  expect((await journey.event('tool_result')).payload.note).toContain('And well.');
  await own.remove();

  const edited = await Journey.begin(server);
  await edited.answer(await edited.ask('guarded'), { action: 'approve', editedArgs: { path: 'mine' } });
  expect((await edited.event('tool_result')).payload.note).toBe(
    'A person changed the arguments before they said yes, to {"path":"mine"}',
  );
});

test('[APR4] a grant that answered the tool itself is named in the result', async () => {
  const journey = await Journey.begin(server);
  await journey.answer(await journey.ask('wipe', { path: 'x' }), { action: 'approve', approvalScope: 'session' });
  const { seq } = await journey.event('turn_end');
  await journey.run('wipe', { path: 'x' });
  const { grants } = (await journey.tab.ask({ type: 'list_grants', sessionId: journey.session })) as {
    grants: { id: string }[];
  };
  const result = await journey.event('tool_result', undefined, seq);
  expect(result.payload.grantId).toBe(grants[0]?.id);
  expect(result.payload.note).toBeUndefined();
});
