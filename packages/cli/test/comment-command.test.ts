import { expect, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { useServer } from '../../server/test/support/use-server.ts';

const server = useServer({ plugins: [pluginPath('approve.mjs'), pluginPath('scripted.mjs')] });
const parley = (...words: string[]) => runParley(...words, '--port', String(server.ready.port));

/** Asks for approval of a text. */
async function askAbout(text: string) {
  const journey = await Journey.begin(server);
  const request = { type: 'approval', title: 'Carry it out?', subject: { kind: 'text', text } };
  const { interactionId } = await journey.ask('scripted', { request });
  return { journey, interactionId };
}

test('[REV4, ASK8] parley comment says something under a prompt, and parley answer shows what was said', async () => {
  const { journey, interactionId } = await askAbout('ls');
  const comment = (...words: string[]) => parley('comment', interactionId, ...words);
  const done = { code: 0, stdout: `Commented on ${interactionId}.\n`, stderr: '' };
  expect(await parley('comment', interactionId.slice(0, -2), 'Which\nbranch?')).toEqual(done);
  const { payload: asked } = await journey.event('interaction_comment');
  expect(asked).toMatchObject({ interactionId, text: 'Which\nbranch?' });

  expect(await comment('The release.', '--reply-to', '1')).toEqual(done);
  const { payload: reply } = await journey.event('interaction_comment', ({ payload }) => payload.replyTo !== undefined);
  expect(reply).toMatchObject({ text: 'The release.', replyTo: asked.commentId });

  const { stdout } = await parley('answer', interactionId);
  expect(stdout).toContain('comment 1, owner: Which\n  branch?\ncomment 2, owner, to comment 1: The release.\n');
  expect((await comment('And?', '--json')).stdout).toMatch(/^\{"seq":\d+\}\n$/);
});

test.each([
  [
    ['x', 'Why?', '--reply-to', 'ann'],
    /--reply-to: "ann" is not the number of a comment: parley answer x shows them\./,
  ],
  [['x'], /missing required argument 'text'/],
])('[REV4, ASK8] parley comment %j is wrong usage: code 2', async (words, said) => {
  expect(await parley('comment', ...words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) });
});

test('[REV4, ASK8] parley comment refuses what cannot be said', async () => {
  const { journey, interactionId } = await askAbout('ls');
  const absent = await parley('comment', interactionId, 'Why?', '--reply-to', '1');
  expect(absent).toMatchObject({ code: 2, stderr: expect.stringContaining('nobody has said anything yet') });
  await parley('comment', interactionId, 'Why?');
  const next = await parley('comment', interactionId, 'Why?', '--reply-to', '2');
  expect(next).toMatchObject({ code: 2, stderr: expect.stringContaining('there is only comment 1.') });
  expect(await parley('comment', interactionId, ' ')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^parley: [^\n]+\n$/),
  });
  await parley('answer', interactionId, 'deny');
  expect(await parley('comment', interactionId, 'Why?')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('It may be settled'),
  });
  await journey.outcome();
});

test('[REV1, ASK8] parley answer numbers the lines that can be commented on, and says how many there are', async () => {
  const text = Array.from({ length: 10 }, (_, at) => (at === 1 ? '' : `step ${at + 1}`)).join('\n');
  const { interactionId } = await askAbout(text);
  const { stdout } = await parley('answer', interactionId);
  expect(stdout).toContain('\n\n 1  step 1\n 2\n 3  step 3\n');
  expect(stdout).toContain('\n10  step 10\n');
  const said = (line: string) => parley('answer', interactionId, 'deny', '--comment', `${line}:No.`);
  const many = expect.stringContaining('it shows no such lines: they are 1 to 10.');
  expect(await said('11')).toMatchObject({ code: 2, stderr: many });
  const { interactionId: other } = await askAbout('npm test');
  expect((await parley('answer', other)).stdout).toContain('\n\nnpm test\n');
  expect(await parley('answer', other, 'deny', '--comment', '2:No.')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is only line 1.'),
  });
});
