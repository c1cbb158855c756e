import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';
import { mainPath } from '../../server/test/support/server-process.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const plugins = [pluginPath('durable.mjs')];
const canary = 'CANARY-77c0-marlin';

const folder = makeFolder();
const server = useServer({ plugins });
let journey: Journey;

/** Runs `parley …` as a user types it. */
function parley(args: readonly string[], cwd = root): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [mainPath, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

const exportOf = (...args: string[]) => parley(['export', journey.session, '--data-dir', server.dataDir, ...args]);

/** Creates a session with a secret, an approval that echoes it, and an open question. */
beforeAll(async () => {
  journey = await Journey.begin(server, { label: 'Phone' });
  const form = await journey.ask('log_in');
  await journey.submit(form, { user: 'ada', password: canary });
  const approval = await journey.event('interaction_request', ({ payload }) => payload.slot === 'go');
  await journey.answer(approval.payload, { action: 'approve', approvalScope: 'session', reason: 'it is me' });
  await journey.event('turn_end');
  await journey.call('ask_user', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] });
  await journey.event('interaction_request', ({ payload }) => payload.toolName === 'ask_user');
});

test('[RPL5] while the server runs, the stored log goes to stdout unchanged', async () => {
  const { code, stdout, stderr } = await exportOf();
  expect([code, stderr]).toEqual([0, '']);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events).toEqual(journey.events());
  expect(stdout).toBe(
    journey
      .events()
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  );
});

test('[RPL5] Markdown and HTML show who gave which answer, from where, and what is open', async () => {
  const [markdown, html] = await Promise.all([exportOf('--format', 'markdown'), exportOf('--format', 'html')]);
  expect([markdown.code, markdown.stderr, html.code, html.stderr]).toEqual([0, '', 0, '']);
  for (const text of [markdown.stdout.replace(/[*`]/g, ''), html.stdout.replace(/<[^>]*>/g, '')]) {
    for (const words of [
      'Submitted, by owner, from Phone (client',
      'Answered, user: ada',
      'Answered, password: redacted (a secret)',
      'Allowed for this session, by owner',
      'it is me',
      'Tea or coffee?',
      'Not settled when this was exported',
    ]) {
      expect(text).toContain(words);
    }
    expect(text).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC · event 1\b/);
  }
});

test('[RPL5, INT17] no export contains an answered secret', async () => {
  for (const format of ['jsonl', 'markdown', 'html']) {
    const { code, stdout } = await exportOf('--format', format);
    expect(code).toBe(0);
    expect(stdout).toContain('ada');
    expect(stdout).not.toContain(canary);
  }
});

test('[RPL5] an export changes nothing and blocks nothing: the server keeps writing meanwhile', async () => {
  const before = (await exportOf()).stdout;
  const own = await Journey.begin(server);
  const asked = own.ask('log_in');
  const [{ stdout }] = await Promise.all([exportOf(), asked]);
  expect(stdout).toBe(before);
  expect((await fetch(`${server.httpUrl}/readyz`)).status).toBe(200);
});

test('[RPL5, SEC8] a file is written readable by its owner only, over an older one', async () => {
  const file = join(folder, 'transcript.html');
  const first = await exportOf('--format', 'html', '--out', file);
  expect(first).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await exportOf('--out', file)).code).toBe(0);
  expect(await readFile(file, 'utf8')).toBe((await exportOf()).stdout);
});

describe('[RPL5] wrong arguments get a message and a code:', () => {
  const dataDir = () => ['--data-dir', server.dataDir];
  test.each<[string, () => string[], number, RegExp]>([
    ['an unknown session', () => ['nothing', ...dataDir()], 1, /no session "nothing"/],
    [
      'an unknown format',
      () => [journey.session, ...dataDir(), '--format', 'pdf'],
      2,
      /--format.*jsonl, markdown, html/,
    ],
    [
      'a folder without a database',
      () => [journey.session, '--data-dir', folder],
      2,
      /no Parley database in .*--data-dir/,
    ],
    ['no session at all', () => [], 2, /missing required argument 'sessionId'/],
    [
      'a folder that is not there',
      () => [journey.session, ...dataDir(), '--out', join(folder, 'no/file')],
      1,
      /no folder/,
    ],
    ['a folder as the file', () => [journey.session, ...dataDir(), '--out', folder], 1, /could not be written/],
    [
      'a file beside the database',
      () => [journey.session, ...dataDir(), '--out', join(server.dataDir, 'parley.db')],
      2,
      /--out.*data directory/,
    ],
  ])('%s', async (_, args, code, words) => {
    const result = await parley(['export', ...args()]);
    expect(result).toEqual({ code, stdout: '', stderr: expect.stringMatching(words) });
    expect(result.stderr).not.toMatch(/^\s+at /m);
  });

  test('a file that is not a database', async () => {
    const wrong = join(folder, 'wrong');
    await mkdir(wrong);
    await writeFile(join(wrong, 'parley.db'), 'this is no database, whatever its name is'.repeat(40));
    const result = await parley(['export', journey.session, '--data-dir', wrong]);
    expect(result).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('The database is damaged') });
    expect(await readdir(wrong)).toEqual(['parley.db']);
  });
});

test('[RPL5, DUR1] after kill -9 everything that was acknowledged is exported, and there after the next start', async () => {
  const own = await startServer({ plugins });
  const story = await Journey.begin(own);
  const form = await story.ask('log_in');
  await own.kill();
  const { code, stdout } = await parley(['export', story.session, '--data-dir', own.dataDir]);
  expect(code).toBe(0);
  expect(stdout).toBe(
    story
      .events()
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  );
  await own.restart();
  const back = await story.join(own);
  expect((await back.event('interaction_request')).payload.interactionId).toBe(form.interactionId);
  await own.kill('SIGTERM');
  const stopped = await parley(['export', story.session, '--data-dir', own.dataDir]);
  expect([stopped.code, stopped.stdout.startsWith(stdout)]).toEqual([0, true]);
});

test('[RPL5] the reader of an export can close the pipe early', async () => {
  const child = spawn(
    'sh',
    [
      '-c',
      `"$0" "$1" export "$2" --data-dir "$3" | head -c 10; echo`,
      process.execPath,
      mainPath,
      journey.session,
      server.dataDir,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], cwd: root },
  );
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  child.stdout.resume();
  await new Promise((resolve) => child.once('close', resolve));
  expect(said).toBe('');
});

test('[RPL5] the examples of docs/operations.md run as written', async () => {
  const text = await readFile(join(root, 'docs/operations.md'), 'utf8');
  const [, block = ''] = /## Exports[\s\S]*?```sh\n([\s\S]*?)```/.exec(text) ?? [];
  const commands = block
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s*#.*$/, '').split(/\s+/));
  expect(commands.length).toBeGreaterThan(2);
  for (const [name, ...args] of commands) {
    expect(name).toBe('parley');
    const real = args.map((arg) =>
      arg === '0198d2c4-4a51-7c1e-9b1f-6c2f1f0f6a11' ? journey.session : arg === '.parley' ? server.dataDir : arg,
    );
    const { code, stderr } = await parley(
      [...real, ...(args.includes('--data-dir') ? [] : ['--data-dir', server.dataDir])],
      folder,
    );
    expect([code, stderr]).toEqual([0, '']);
  }
  expect(await readdir(folder)).toEqual(expect.arrayContaining(['talk.html', 'talk.md']));
});
