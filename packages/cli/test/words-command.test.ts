import { beforeAll, expect, test } from 'vitest';
import { createToken, ParleyProcess } from '../../server/test/support/command.ts';
import type { Tab } from '../../server/test/support/tab.ts';
import { useServer } from '../../server/test/support/use-server.ts';

const ownToken = 'a-token-for-this-test';
const server = useServer({ args: ['--token', ownToken] });

let asker: string;
let owner: Tab;
beforeAll(async () => {
  asker = (await createToken(server.dataDir, '--role', 'asker', '--name', 'ci')).token;
  owner = await server.open({ hello: { token: ownToken } });
});

/** Runs a command that asks in a session of its own. */
function run(channel: string, ...words: string[]): ParleyProcess {
  const place = ['--port', String(server.ready.port), '--data-dir', server.dataDir];
  const env = { PARLEY_ASK_TOKEN: asker, PARLEY_TOKEN: '' };
  return new ParleyProcess([...words, '--channel', channel, ...place], { env });
}

/** Waits for what a command asks. */
async function asked(asking: ParleyProcess) {
  await asking.says('Waiting for an answer at ');
  const [, sessionId = ''] = /\/s\/(\S+)\n/.exec(asking.stderr) ?? [];
  await owner.follow(sessionId);
  return { sessionId, ...(await owner.event(sessionId, 'interaction_request')).payload };
}

/** Answers what a command asks, with the digest of what it shows, and waits for its end. */
async function answer(asking: ParleyProcess, given: object) {
  const { sessionId, ...prompt } = await asked(asking);
  await owner.answer(sessionId, prompt, { digest: prompt.digest, ...given });
  const { code, stdout, stderr } = await asking.end();
  return { code, stdout, note: stderr.replace(/^Waiting.*\n/, '') };
}

test('[ASK8, REV2] the words of a yes are a note on stderr: scripts read `approved` alone', async () => {
  const annotations = [{ lines: [1, 1], quote: 'v2', comment: 'Tag it.' }];
  const words = { action: 'approve', reason: 'After noon.', annotations };
  expect(await answer(run('yes', 'approve', 'Deploy?', '--subject', 'v2'), words)).toEqual({
    ...{ code: 0, stdout: 'approved\n' },
    note: 'approved: After noon.\n\nLine 1:\n> v2\n\nTag it.\n',
  });
  const json = await answer(run('yes-json', 'approve', 'Deploy?', '--subject', 'v2', '--json'), words);
  expect(json).toMatchObject({ code: 0, note: '' });
  expect(JSON.parse(json.stdout)).toMatchObject({ approved: true, annotations });
});

test('[ASK8, ASK3] the words that come with an answer or a cancel are a note on stderr', async () => {
  const submitted = { action: 'submit', input: { answer: 'eu' }, reason: 'It is nearer.' };
  expect(await answer(run('text', 'ask', 'Which?'), submitted)).toEqual({
    ...{ code: 0, stdout: 'eu\n' },
    note: 'answered: It is nearer.\n',
  });
  const said = await answer(run('cancel', 'ask', 'Well?'), { action: 'cancel', reason: 'Not mine.' });
  expect(said).toMatchObject({ code: 1, stdout: '', note: expect.stringMatching(/ the question: Not mine\.\n$/) });
});

test('[REV3, ASK8] parley approve says what its subject is a version of', async () => {
  const asking = run('plan', 'approve', 'Carry it out?', '--subject', '1. Build', '--thread', 'plan');
  expect((await asked(asking)).subject).toEqual({ kind: 'text', text: '1. Build', thread: 'plan' });
  const long = run('plan', 'approve', 'Carry it out?', '--subject', '1.', '--thread', 'x'.repeat(129));
  expect(await long.end()).toMatchObject({ code: 2, stderr: expect.stringContaining('subject.thread') });
  asking.kill('SIGINT');
  await asking.end();
});
