import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { maxAttachments } from '@parleyhq/core';
import { beforeAll, expect, test } from 'vitest';
import { createToken, ParleyProcess } from '../../server/test/support/command.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';
import type { Tab } from '../../server/test/support/tab.ts';
import { useServer } from '../../server/test/support/use-server.ts';

const ownToken = 'a-token-for-this-test';
const server = useServer({ args: ['--token', ownToken] });
const submit = ['submit', '--input', '{"answer":"Like this."}'];

let asker: string;
let owner: Tab;
let folder: string;
let files: readonly string[];
beforeAll(async () => {
  asker = (await createToken(server.dataDir, '--role', 'asker', '--name', 'ci')).token;
  owner = await server.open({ hello: { token: ownToken } });
  folder = makeFolder();
  const [one, two] = [join(folder, 'one.txt'), join(folder, 'two.json')];
  await Promise.all([writeFile(one, 'E42'), writeFile(two, '{}')]);
  files = [one, two];
});

const place = () => ['--port', String(server.ready.port), '--data-dir', server.dataDir];

/** Runs a command that asks in a session of its own. */
function run(key: string, ...words: string[]): ParleyProcess {
  const env = { PARLEY_ASK_TOKEN: asker, PARLEY_TOKEN: '' };
  return new ParleyProcess([...words, '--channel', key, '--key', key, ...place()], { env });
}

/** Waits for what a command asks. */
async function asked(asking: ParleyProcess) {
  await asking.says('Waiting for an answer at ');
  const [, sessionId = ''] = /\/s\/(\S+)\n/.exec(asking.stderr) ?? [];
  await owner.follow(sessionId);
  const { interactionId } = (await owner.event(sessionId, 'interaction_request')).payload;
  return { sessionId, interactionId };
}

/** Runs `parley answer` with files, by default with both. */
function send(interactionId: string, words: readonly string[], attached = files) {
  const flags = [...attached.flatMap((path) => ['--attach', path]), ...place(), '--token', ownToken];
  return new ParleyProcess(['answer', interactionId, ...words, ...flags]).end();
}

/** Answers what a command asks. */
async function answer(asking: ParleyProcess, words: readonly string[], attached?: readonly string[]) {
  const { interactionId } = await asked(asking);
  expect(await send(interactionId, words, attached)).toMatchObject({ code: 0 });
}

test('[REV6, ASK8] files that people attach with parley answer are saved by parley ask, which prints their paths', async () => {
  const to = join(folder, 'saved');
  const asking = run('look', 'ask', 'What does it look like?', '--save-to', to);
  await answer(asking, submit);
  const paths = [join(to, 'one.txt'), join(to, 'two.json')];
  expect(await asking.end()).toMatchObject({ code: 0, stdout: `Like this.\n${paths.join('\n')}\n` });
  expect(await Promise.all(paths.map((path) => readFile(path, 'utf8')))).toEqual(['E42', '{}']);
});

test('[REV6, ASK8] parley approve saves them, too, and replaces no file that is there', async () => {
  const approving = run('ship', 'approve', 'Release?', '--subject', '2.1', '--save-to', folder, '--json');
  await answer(approving, ['deny', '--reason', 'Not yet.']);
  const { code, stdout } = await approving.end();
  const saved = [{ path: join(folder, 'one (2).txt') }, { path: join(folder, 'two (2).json') }];
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { approved: false, files: saved }]);
});

test('[REV6, ASK8] without a folder parley ask says how to get them, and they are not lost if they cannot be saved', async () => {
  const asking = run('again', 'ask', 'Again?');
  await answer(asking, submit);
  const said = expect.stringContaining('the same command with --save-to <folder> --key again fetches');
  expect(await asking.end()).toMatchObject({ code: 0, stdout: 'Like this.\n', stderr: said });
  const nowhere = run('again', 'ask', 'Again?', '--save-to', join(folder, 'x'.repeat(300)));
  expect(await nowhere.end()).toMatchObject({ code: 5, stderr: expect.stringContaining('The question is settled') });
  const later = run('again', 'ask', 'Again?', '--save-to', join(folder, 'later'));
  expect(await later.end()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(join(folder, 'later', 'one.txt')),
  });
});

test('[REV6, ASK8] a file whose name would hide it is saved under a name that people see', async () => {
  const [hidden, to] = [join(folder, '.env'), join(folder, 'visible')];
  await writeFile(hidden, 'A=1');
  const asking = run('hidden', 'ask', 'Which settings?', '--save-to', to);
  await answer(asking, submit, [hidden]);
  expect(await asking.end()).toMatchObject({ code: 0, stdout: `Like this.\n${join(to, 'env')}\n` });
});

test('[REV6, ASK8] a place that is no folder is refused before anybody is asked', async () => {
  for (const place of [files[0] ?? '', join(files[0] ?? '', 'below')]) {
    const { code, stderr } = await run('nowhere', 'ask', 'Where?', '--save-to', place).end();
    expect([code, stderr]).toEqual([2, `parley: --save-to: ${place} is not a folder.\n`]);
  }
});

test('[REV6, ASK8] a file that cannot be attached is wrong usage, whatever is wrong with it', async () => {
  const asking = run('wrong', 'ask', 'Which?');
  const { interactionId } = await asked(asking);
  const [empty, large] = [join(folder, 'empty.txt'), join(folder, 'large.bin')];
  await Promise.all([writeFile(empty, ''), writeFile(large, Buffer.alloc(11_000_000))]);
  const faults: [string, string][] = [
    [empty, 'empty.txt is empty.'],
    [large, 'large.bin (10.5 MB) is too large: at most 10 MB.'],
    [join(folder, 'absent'), 'There is no file'],
    ['.', '. is a folder, not a file.'],
  ];
  for (const [path, said] of faults)
    expect(await send(interactionId, submit, [path])).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
  expect(await send(interactionId, submit, [])).toMatchObject({ code: 0 });
  expect(await asking.end()).toMatchObject({ code: 0 });
});

test('[REV6, ASK8] parley answer refuses too many files before it uploads one', async () => {
  const asking = run('many', 'ask', 'How many?');
  const { sessionId, interactionId } = await asked(asking);
  const many = Array.from({ length: maxAttachments + 1 }, () => files[0] ?? '');
  expect(await send(interactionId, submit, many)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('at most 10'),
  });
  expect(await readdir(join(server.dataDir, 'files')).catch(() => [])).not.toContain(sessionId);
  expect(await send(interactionId, submit, [])).toMatchObject({ code: 0 });
  expect(await asking.end()).toMatchObject({ code: 0 });
});
