import { execFile } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createToken, ParleyProcess } from '../../server/test/support/command.ts';
import { mainPath } from '../../server/test/support/server-process.ts';
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

type Options = ConstructorParameters<typeof ParleyProcess>[1];

function run(words: readonly string[], { env = {}, ...options }: Options = {}): ParleyProcess {
  const place = ['--port', String(server.ready.port), '--data-dir', server.dataDir];
  return new ParleyProcess([...words, ...place], {
    ...options,
    env: { PARLEY_ASK_TOKEN: asker, PARLEY_TOKEN: ownToken, ...env },
  });
}

/** Opens a device on which every write fails. */
function openFull(): number {
  const descriptor = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(descriptor));
  return descriptor;
}

async function sessionOf(asking: ParleyProcess): Promise<string> {
  await asking.says('Waiting for an answer at ');
  const [, sessionId = ''] = /\/s\/(\S+)\n/.exec(asking.stderr) ?? [];
  return sessionId;
}

async function answer(sessionId: string, given: object): Promise<void> {
  await owner.follow(sessionId);
  await owner.answer(sessionId, (await owner.event(sessionId, 'interaction_request')).payload, given);
}

const approve = (channel: string, ...flags: string[]) => [
  'approve',
  'Deploy?',
  '--subject',
  'x',
  '--channel',
  channel,
  ...flags,
];

test('[ASK8] a yes that cannot be printed ends with 5 and a message, and the same key gets it again', async () => {
  const words = approve('full', '--key', 'full-1');
  const asking = run(words, { stdout: openFull() });
  await answer(await sessionOf(asking), { action: 'approve' });
  const { code, stderr } = await asking.end();
  expect(code).toBe(5);
  expect(stderr).toMatch(/could not be written: the same command with --key full-1 gets it again\. \(ENOSPC/);
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(await run(words).end()).toMatchObject({ code: 0, stdout: 'approved\n' });
});

test('[ASK8] a yes whose reader has closed the pipe ends with 5', async () => {
  const asking = run(approve('pipe'));
  const sessionId = await sessionOf(asking);
  asking.stopReading();
  await answer(sessionId, { action: 'approve' });
  const { code, stderr } = await asking.end();
  expect(code).toBe(5);
  expect(stderr).toContain('EPIPE');
});

test('[ASK8] a JSON result that cannot be printed ends with 5', async () => {
  const asking = run(['ask', 'Which?', '--json', '--channel', 'json'], { stdout: openFull() });
  await answer(await sessionOf(asking), { action: 'submit', input: { answer: 'eu' } });
  expect((await asking.end()).code).toBe(5);
});

test('[ASK8] a failing stderr does not change the answer', async () => {
  const first = run(approve('mute', '--key', 'mute-1'));
  await answer(await sessionOf(first), { action: 'approve' });
  await first.end();
  expect(await run(approve('mute', '--key', 'mute-1'), { stderr: openFull() }).end()).toMatchObject({
    code: 0,
    stdout: 'approved\n',
  });
});

test('[ASK8] a bug in the command is not reported as a person’s no', async () => {
  const preload = new URL('plugins/throw-while-waiting.mjs', import.meta.url).href;
  const asking = run(approve('fault'), { env: { NODE_OPTIONS: `--import ${preload}` } });
  const { code, stderr } = await asking.end();
  expect(code).toBe(5);
  expect(stderr).toMatch(/\nparley: a fault of the command\n$/);
});

test('[ASK8] a list that cannot be printed ends with 5; one whose reader closes the pipe ends without an error', async () => {
  expect(await run(['inbox', '--list'], { stdout: openFull() }).end()).toMatchObject({ code: 5 });
  const reading = run(['inbox', '--list']);
  reading.stopReading();
  expect(await reading.end()).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('[RPL5] a transcript that cannot be printed ends with 5', async () => {
  const asking = run(approve('export'));
  const sessionId = await sessionOf(asking);
  await answer(sessionId, { action: 'deny' });
  await asking.end();
  const exporting = new ParleyProcess(['export', sessionId, '--data-dir', server.dataDir], { stdout: openFull() });
  expect(await exporting.end()).toMatchObject({ code: 5, stderr: expect.stringContaining('ENOSPC') });
  const reading = new ParleyProcess(['export', sessionId, '--data-dir', server.dataDir]);
  reading.stopReading();
  expect(await reading.end()).toEqual({ code: 0, stdout: '', stderr: '' });
});

const latin = Buffer.from('-name = cafe\n+name = caf\xe9\n', 'latin1');

test.each([
  ['Latin-1 by pipe', latin],
  ['UTF-16 by pipe', Buffer.from('\ufeffDROP TABLE orders', 'utf16le')],
  ['UTF-16 without a mark', Buffer.from('DROP TABLE orders', 'utf16le')],
])('[ASK8] nobody is asked to approve text that would be shown differently: %s', async (_, input) => {
  const asking = run(['approve', 'Merge?', '--subject-file', '-'], { input });
  const { code, stdout, stderr } = await asking.end();
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^parley: --subject-file: stdin is not UTF-8/);
});

test('[ASK8] files that are not UTF-8 are refused for every flag', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-encoding-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'latin.json');
  await writeFile(file, Buffer.from('{"caf\xe9": 1}', 'latin1'));
  const all = [
    ['approve', 'Merge?', '--subject-file', file],
    ['ask', 'Which?', '--schema', file],
    ['ask', 'Which?', '--form', file],
    ['inbox', '--config', file],
  ];
  for (const words of all)
    expect(await run(words).end()).toMatchObject({ code: 2, stderr: expect.stringContaining('is not UTF-8') });
  const piped = [['call', 'ask_user', '-'], ['answer', 'x', 'submit', '--input', '-'], ['chat']];
  for (const words of piped)
    expect(await run(words, { input: latin }).end()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not UTF-8'),
    });
});

test('[ASK8] an argument that is not UTF-8 is refused', async () => {
  const script = 'exec "$0" "$@" --subject "$(printf "caf\\351")"';
  const words = ['-c', script, process.execPath, fileURLToPath(new URL(mainPath, 'file:')), 'approve', 'Merge?'];
  const code = await new Promise((resolve) => {
    execFile('sh', words, (error, _, stderr) => resolve([error?.code, stderr]));
  });
  expect(code).toEqual([2, 'parley: An argument is not UTF-8: convert it first, for instance with iconv.\n']);
});
