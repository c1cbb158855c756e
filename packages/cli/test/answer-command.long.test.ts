import { expect, test } from 'vitest';
import { ParleyProcess, runParley } from '../../server/test/support/command.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { pluginOf } from '../../server/test/support/plugin-file.ts';
import { useServer } from '../../server/test/support/use-server.ts';

const timeout = 60_000;
const server = useServer({
  plugins: [pluginPath('approve.mjs'), pluginPath('asking.mjs'), pluginPath('scripted.mjs')],
});

const place = () => ['--port', String(server.ready.port)];
const parley = (...words: string[]) => runParley(...words, ...place());

test('[ASK8] parley inbox lists what waits, oldest first, and parley answer answers it', { timeout }, async () => {
  expect(await parley('inbox')).toMatchObject({ code: 0, stdout: 'Nothing waits for you.\n' });
  const journey = await Journey.begin(server);
  const first = await journey.ask('ask_one', { question: 'First?\u001b[2J' });
  const other = await Journey.begin(server);
  const second = await other.ask('wipe', { path: 'x' });

  const { stdout } = await parley('inbox');
  expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([first.interactionId, second.interactionId, '']);
  expect(stdout).toContain(`  input  First?`);
  expect(stdout).not.toContain('\u001b');
  const [line = ''] = (await parley('inbox', '--json')).stdout.split('\n');
  expect(JSON.parse(line)).toMatchObject({ sessionId: journey.session, interaction: { digest: first.digest } });

  const several = `Several ids begin with "": ${first.interactionId}, ${second.interactionId}. Give more of it.`;
  expect(await parley('answer', '')).toMatchObject({ code: 2, stderr: expect.stringContaining(several) });
  const shown = await parley('answer', first.interactionId.slice(0, -2));
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('  answer (text, optional) Answer') });
  const wrong = await parley('answer', first.interactionId, 'submit', '--input', '{"answer":1}');
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/do not fit the form\.\n {2}answer: /) });
  const misplaced = await parley('answer', first.interactionId, 'approve');
  expect(misplaced).toMatchObject({ code: 1, stderr: expect.stringMatching(/^parley: [^\n]+\n$/) }); // printed once
  const answered = new ParleyProcess(['answer', first.interactionId, '--input', '-', ...place()], {
    input: '{"answer":"yes"}',
  });
  expect(await answered.end()).toMatchObject({ code: 0, stdout: `Answered ${first.interactionId}.\n` });
  expect(await journey.outcome()).toEqual({ result: { answer: 'yes' } });

  expect(await parley('answer', second.interactionId, 'deny', '--reason', 'No.')).toMatchObject({ code: 0 });
  const { payload } = await other.event('interaction_response');
  expect(payload).toMatchObject({ action: 'deny', reason: 'No.' });
  const again = await parley('answer', second.interactionId, 'approve');
  const nothing = /^parley: Nothing that you may answer .* parley inbox lists what waits for you\.\n$/;
  expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(nothing) });
});

test('[REV1] parley answer comments on lines of what is shown', { timeout }, async () => {
  const journey = await Journey.begin(server);
  const { interactionId } = await journey.ask('wipe', { path: '/var/x' });
  const deny = (...words: string[]) => parley('answer', interactionId, 'deny', ...words);
  expect(await deny('--comment', 'Not here.')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('name a line'),
  });
  expect(await deny('--comment', '9:No.')).toMatchObject({ code: 2, stderr: expect.stringContaining('no such lines') });
  expect(await deny('--comment', '1:Not this: it is in use.')).toMatchObject({ code: 0 });
  const { payload } = await journey.event('interaction_response');
  const annotation = { lines: [1, 1], quote: '/var/x', comment: 'Not this: it is in use.' };
  expect(payload).toMatchObject({ action: 'deny', annotations: [annotation] });
});

test('[APR7] parley answer allows a rule that is offered', { timeout }, async () => {
  const journey = await Journey.begin(server);
  const rules = [{ id: 'folder', label: 'everything in tmp', key: 'tmp', scopes: ['session'], keptByCaller: true }];
  const request = { type: 'approval', title: 'Wipe it?', approvalScopes: ['once'], rules };
  const { interactionId } = await journey.ask('scripted', { request });
  const approve = (...words: string[]) => parley('answer', interactionId, 'approve', ...words);
  const unknown = { code: 2, stderr: expect.stringContaining('it was not offered. Rules: folder.') };
  expect(await approve('--rule', 'all')).toMatchObject(unknown);
  const unoffered = { code: 1, stderr: expect.stringContaining('"always" was not offered. What was: once.') };
  expect(await approve('--scope', 'always')).toMatchObject(unoffered);
  expect(await approve('--rule', 'folder')).toMatchObject({ code: 0 });
  const { payload } = await journey.event('interaction_response');
  expect(payload).toMatchObject({ action: 'approve', ruleId: 'folder', approvalScope: 'session' });
});

test('[PLG13a] parley answer uploads local files', { timeout }, async () => {
  const journey = await Journey.begin(server);
  const field = { id: 'cv', type: 'file', label: 'CV', accept: ['text/*'], multiple: true };
  const inputSchema = { type: 'form', fields: [field, { id: 'name', type: 'text' }] };
  const { interactionId } = await journey.ask('scripted', { request: { type: 'input', inputSchema } });
  const [one, two] = [pluginOf('one', 'one.txt'), pluginOf('two', 'two.csv')];
  const give = (...words: string[]) => parley('answer', interactionId, ...words);
  expect(await give('--file', 'name=x')).toMatchObject({ code: 2, stderr: expect.stringContaining('Fields: cv.') });
  expect(await give('--file', 'cv=/nowhere.txt')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no file'),
  });
  expect(await give('--file', `cv=${pluginOf('x', 'x.zip')}`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('x.zip is of another kind'),
  });
  const given = await give('--input', '{"name":"Ada"}', '--file', `cv=${one}`, '--file', `cv=${two}`);
  expect(given).toMatchObject({ code: 0, stdout: `Answered ${interactionId}.\n` });
  const { payload } = await journey.event('interaction_response');
  expect(payload.input).toMatchObject({
    name: 'Ada',
    cv: [
      { name: 'one.txt', size: 3 },
      { name: 'two.csv', mediaType: 'text/csv' },
    ],
  });
});

test.each([
  [['x', 'agree'], /"agree" is not one of approve, deny, submit, cancel\./],
  [['x', 'submit', '--input', '{'], /--input: this is not JSON/],
  [['x', 'submit', '--input', '{"n":9007199254740993}'], /--input: n: the number 9007199254740993 is not kept exactly/],
  [['x', '--reason', 'No.'], /Say what the answer is\./],
  [['x', 'deny', '--rule', 'folder'], /--rule goes with approve\./],
  [['x', 'approve', '--scope', 'ever'], /Allowed choices are once, session, always/],
])('[ASK8] parley answer %j is wrong usage: code 2', { timeout }, async (words, said) => {
  expect(await parley('answer', ...words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) });
});

test('[ASK8] an ambiguous beginning of an id is refused', { timeout }, async () => {
  const journeys = await Promise.all([Journey.begin(server), Journey.begin(server)]);
  for (const journey of journeys) await journey.ask('ask_one', { question: 'Which?' });
  expect(await parley('answer', '', 'cancel')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Several ids'),
  });
});
