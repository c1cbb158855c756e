import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { type ParleyProcess, startParley } from '@parleyhq/client/process';
import type { Answer, InboxEntry } from '@parleyhq/core';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { pathOf } from './test/talk.ts';

const timeout = 60_000;
const token = 'a-token-for-this-test';
let server: ParleyProcess;
let asker: string;
beforeAll(async () => {
  server = await startParley({ token, plugins: [pathOf('photos.ts')] });
  asker = await createToken('--role', 'asker', '--name', 'ci');
});
afterAll(() => server.stop());

/** Creates a token. @returns its secret text */
async function createToken(...flags: string[]): Promise<string> {
  const { stdout } = await server.run('token', 'create', '--json', ...flags);
  return JSON.parse(stdout).token;
}

interface Folder {
  readonly path: string;
  run(name: string, env?: Record<string, string>): Promise<{ code: unknown; stdout: string }>;
}

/** Makes a folder in which to run scripts, with `parley` and these programs in their PATH. */
async function makeFolder(programs: Readonly<Record<string, string>> = {}): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(path, { recursive: true }));
  const all = { parley: `exec "${process.execPath}" "${server.command}" "$@"`, ...programs };
  for (const [name, command] of Object.entries(all)) {
    await writeFile(join(path, name), `#!/bin/sh\n${command}\n`);
    await chmod(join(path, name), 0o755);
  }
  const own = {
    PATH: [path, process.env.PATH].join(delimiter),
    PARLEY_PORT: new URL(server.url).port,
    PARLEY_DATA_DIR: server.dataDir,
    PARLEY_ASK_TOKEN: asker,
    SERVER: server.url,
  };
  const run: Folder['run'] = (name, more) => {
    const script = resolve(pathOf(name));
    const env = { ...process.env, ...own, ...more };
    return new Promise((settle) => {
      execFile('sh', [script], { cwd: path, env }, (error, stdout) => settle({ code: error?.code ?? 0, stdout }));
    });
  };
  return { path, run };
}

/** Reads the inbox once it is not empty. */
async function readInbox(): Promise<readonly [InboxEntry]> {
  const headers = { authorization: `Bearer ${token}` };
  return vi.waitFor(
    async () => {
      const response = await fetch(`${server.url}/api/interactions`, { headers });
      const { open } = (await response.json()) as { open: [InboxEntry] };
      expect(open).toHaveLength(1);
      return open;
    },
    { timeout: 15_000 },
  );
}

/** Answers the first prompt in the inbox, once there is one. */
async function answerNext(given: Answer): Promise<InboxEntry['interaction']> {
  const [{ sessionId, interaction }] = await readInbox();
  const tab = await server.join(sessionId);
  await tab.answer(interaction, given);
  tab.close();
  return interaction;
}

test.each<[Answer, number, string, string]>([
  [{ action: 'approve' }, 0, 'approved\n', 'new\n'],
  [{ action: 'deny' }, 1, 'denied: A person did not allow this.\n', 'old\n'],
])('[ASK8] publish.sh publishes only what was approved: %j', { timeout }, async (given, code, stdout, live) => {
  const { path, run } = await makeFolder();
  await writeFile(join(path, 'live.conf'), 'old\n');
  await writeFile(join(path, 'new.conf'), 'new\n');
  const publishing = run('publish.sh');
  const { subject } = await answerNext(given);
  expect(subject).toMatchObject({ kind: 'diff', text: expect.stringContaining('-old\n+new\n') });
  expect(await publishing).toEqual({ code, stdout });
  expect(await readFile(join(path, 'live.conf'), 'utf8')).toBe(live);
});

test('[ASK8, ASK1] region.sh asks once for each build', { timeout }, async () => {
  const { run } = await makeFolder();
  const building = run('region.sh', { BUILD: '417' });
  await answerNext({ action: 'submit', input: { answer: 'eu' } });
  const deploying = { code: 0, stdout: 'Deploying to eu\n' };
  expect(await building).toEqual(deploying);
  expect(await run('region.sh', { BUILD: '417' })).toEqual(deploying);
});

test('[ASK8, SEC8] password.sh passes a secret on, and prints it nowhere', { timeout }, async () => {
  const { path, run } = await makeFolder({ publish: 'cat >published.txt' });
  const publishing = run('password.sh');
  await answerNext({ action: 'submit', input: { password: 'tulip 7' } });
  expect(await publishing).toEqual({ code: 0, stdout: '' });
  expect(await readFile(join(path, 'published.txt'), 'utf8')).toBe('tulip 7\n');
});

test('[ASK8, ASK1] opening.sh asks once a day', { timeout }, async () => {
  const { run } = await makeFolder({ date: 'echo 2026-12-01' });
  const opening = run('opening.sh');
  await answerNext({ action: 'submit', input: { answer: 'yes' } });
  const answered = { code: 0, stdout: 'Open today: yes\n' };
  expect(await opening).toEqual(answered);
  expect(await run('opening.sh')).toEqual(answered);
});

test('[ASK8, ASK1] nightly.sh calls a tool once a night, which a person may answer later', { timeout }, async () => {
  const { path, run } = await makeFolder({ date: 'echo 2026-12-01' });
  const env = { PARLEY_ASK_TOKEN: '', PARLEY_TOKEN: token };
  const converting = run('nightly.sh', env);
  await answerNext({ action: 'deny' });
  const ended = { code: 0, stdout: '' };
  const read = async () => JSON.parse(await readFile(join(path, 'photos.json'), 'utf8'));
  expect(await converting).toEqual(ended);
  expect(await read()).toEqual({ converted: 2, deleted: false });
  expect(await run('nightly.sh', env)).toEqual(ended);
  expect(await read()).toEqual({ converted: 2, deleted: false });
});

test('[ASK8] talk.sh sends a message and keeps the log of its turn', { timeout }, async () => {
  const { path, run } = await makeFolder();
  expect(await run('talk.sh', { PARLEY_TOKEN: token })).toEqual({ code: 0, stdout: '1\n' });
  const events = (await readFile(join(path, 'talk.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(events.map((line) => JSON.parse(line).type)).toEqual([
    'user_message',
    'turn_start',
    'assistant_done',
    'turn_end',
  ]);
});

test('[ASK8] restore.sh tells a yes from a no', { timeout }, async () => {
  const { run } = await makeFolder();
  const allowed = run('restore.sh');
  await answerNext({ action: 'approve' });
  expect(await allowed).toEqual({ code: 0, stdout: 'approved\nrestoring\n' });
  const refused = run('restore.sh');
  await answerNext({ action: 'deny' });
  expect(await refused).toEqual({ code: 0, stdout: 'denied: A person did not allow this.\nleaving it as it is\n' });
  expect(await run('restore.sh', { PARLEY_ASK_TOKEN: 'not-the-token-of-it' })).toEqual({ code: 1, stdout: '' });
});

test('[ASK8] curl.sh asks by plain HTTP', { timeout }, async () => {
  const { run } = await makeFolder();
  const asking = run('curl.sh');
  await answerNext({ action: 'submit', input: { answer: 'Tea' } });
  const { stdout } = await asking;
  expect(JSON.parse(stdout)).toMatchObject({ status: 'done', result: { ok: true, answer: 'Tea' } });
});

const person = { PARLEY_TOKEN: token };

test('[TRN2] answer.sh answers by plain HTTP', { timeout }, async () => {
  const { run } = await makeFolder();
  const asking = run('curl.sh', { PARLEY_ASK_TOKEN: await createToken('--role', 'asker') });
  const [{ sessionId, interaction }] = await readInbox();
  const env = { ...person, SESSION: sessionId, PROMPT: interaction.interactionId };
  expect(JSON.parse((await run('answer.sh', env)).stdout)).toMatchObject({ ok: true });
  expect(JSON.parse((await asking).stdout)).toMatchObject({ status: 'done', result: { ok: true, answer: 'Tea' } });
});

test('[TRN1] frames.sh is a client by curl alone', { timeout }, async () => {
  const { path, run } = await makeFolder();
  const { code, stdout } = await run('frames.sh', person);
  expect(JSON.parse(stdout)).toMatchObject({ requestId: 'r-1', ok: true, result: { session: { title: 'By curl' } } });
  expect(code).toBe(0);
  expect(await readFile(join(path, 'stream.txt'), 'utf8')).toContain('"type":"welcome"');
});
