import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { allowed, ClaudeHooks } from '../../server/test/support/claude-hooks.ts';
import { createToken, ParleyProcess, runParley } from '../../server/test/support/command.ts';
import { mainPath } from '../../server/test/support/server-process.ts';
import { useServer } from '../../server/test/support/use-server.ts';
import { Terminal } from './support/terminal.ts';

const server = useServer({ args: [] });

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  file = join(folder, 'settings.json');
});

const parley = (...words: string[]) => runParley(...words, '--settings', file, '--data-dir', server.dataDir);
const connect = (...words: string[]) => parley('connect', 'claude', '--url', server.httpUrl, '--yes', ...words);
const disconnect = () => parley('disconnect', 'claude', '--yes');
const readText = () => readFile(file, 'utf8');
const readHooks = async () => JSON.parse(await readText()).hooks;
const askers = async () => {
  const { stdout } = await runParley('token', 'list', '--json', '--data-dir', server.dataDir);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line)).filter(({ role }) => role === 'asker');
};

const own = { type: 'command', command: 'notify-send done' };
const before = {
  model: 'opus',
  hooks: { Stop: [{ hooks: [own] }], PreCompact: [] },
  permissions: { allow: ['Bash(ls:*)'] },
};

test('[ASK7, ACP4] connect lets Claude Code ask and says what about, until disconnect removes exactly what it wrote', async () => {
  const text = JSON.stringify(before, undefined, '\t');
  await writeFile(file, text);
  const connected = await connect();
  expect(connected).toMatchObject({ code: 0, stderr: '' });
  const { hooks, ...others } = JSON.parse(await readText());
  expect(others).toEqual({ model: before.model, permissions: before.permissions });
  expect(Object.keys(hooks)).toEqual([
    ...['Stop', 'PreCompact'],
    ...['PermissionRequest', 'PermissionDenied', 'Elicitation'],
    ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure'],
    ...['Notification', 'SubagentStop', 'SessionEnd'],
  ]);
  expect(hooks.Stop).toMatchObject([{ hooks: [own] }, { hooks: [{ type: 'http', timeout: 5 }] }]);
  expect(hooks.PermissionRequest).toMatchObject([
    { matcher: '*', hooks: [{ type: 'http', url: `${server.httpUrl}/hooks/claude`, timeout: 604_800 }] },
  ]);
  expect(hooks.PermissionDenied).toMatchObject([{ matcher: '*', hooks: [{ timeout: 600 }] }]);
  expect(hooks.Elicitation).toMatchObject([
    {
      hooks: [
        { headers: { 'Claude-Entrypoint': '$CLAUDE_CODE_ENTRYPOINT' }, allowedEnvVars: ['CLAUDE_CODE_ENTRYPOINT'] },
      ],
    },
  ]);
  expect(connected.stdout).toContain('in auto mode, whether a call that it refused may be tried once');
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  const authorization: string = hooks.PermissionRequest[0].hooks[0].headers.Authorization;
  const claude = new ClaudeHooks(server.httpUrl, authorization.replace('Bearer ', ''));
  expect(connected.stdout).not.toContain(authorization.slice(-20));
  const tab = await server.open({ hello: { token: server.ready.token } });
  const asking = claude.ask();
  const { session, prompt } = await claude.prompt(tab);
  await tab.answer(session.id, prompt, { action: 'approve' });
  expect(await asking).toEqual(allowed);

  expect(await disconnect()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Removed .*\nRevoked \w{12}\.\n$/),
  });
  expect(await readText()).toBe(text);
  expect(await claude.ask()).toMatchObject({ status: 401 });
  expect(await disconnect()).toMatchObject({ code: 0, stdout: expect.stringContaining('not connected') });
});

test.each([
  [
    'in lines',
    [
      '{\r\n    "big": 12345678901234567890, "small":1.10,\r\n    "hooks": {\r\n        "Other": [ ],\r\n        "SessionEnd": [{ "hooks": [] }',
      ']',
      '\r\n    },\r\n    "e":1e400 ,"u": "\\u00e9"\r\n}\r\n',
    ],
  ],
  [
    'in one line',
    ['{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","n":9007199254740993}]}', ']', '},"a" :[ 1,2 ]}'],
  ],
  ['without hooks', ['{\n\t"id": 9007199254740993', '\n}']],
])('[ASK7] other settings are not changed by a byte: %s', async (_, parts) => {
  const text = parts.join('');
  await writeFile(file, text);
  expect(await connect()).toMatchObject({ code: 0 });
  const connected = await readText();
  expect(connected.startsWith(parts[0] ?? '')).toBe(true);
  expect(connected.endsWith(parts.at(-1) ?? '')).toBe(true);
  expect(JSON.parse(connected).hooks.PermissionRequest).toHaveLength(1);
  expect(await disconnect()).toMatchObject({ code: 0 });
  expect(await readText()).toBe(text);
});

test('[ASK7] connecting again changes nothing, and at another address keeps the token', async () => {
  await connect();
  const text = await readText();
  const tokens = await askers();
  expect(await connect()).toMatchObject({ code: 0, stdout: expect.stringContaining('already') });
  expect(await readText()).toBe(text);
  const moved = await parley('connect', 'claude', '--url', 'https://127.0.0.1:1/', '--yes');
  expect(moved.code).toBe(0);
  expect(await readText()).toBe(text.replaceAll(server.httpUrl, 'https://127.0.0.1:1'));
  expect(await askers()).toEqual(tokens);
  await disconnect();
  expect(await askers()).toHaveLength(tokens.length - 1);
  await expect(readText()).rejects.toThrow('ENOENT'); // connect had created the file
});

test('[ASK7] without consent nothing is written and no token is made', async () => {
  const tokens = await askers();
  const { code, stderr } = await parley('connect', 'claude', '--url', server.httpUrl);
  expect(code).toBe(2);
  expect(stderr).toContain('"PermissionRequest"');
  expect(stderr).toContain('--yes');
  await expect(readText()).rejects.toThrow('ENOENT');
  expect(await askers()).toEqual(tokens);
});

test('[ASK7] --print shows the hooks, at the port of the data directory’s server, with a variable for the token, and changes nothing', async () => {
  const { code, stdout } = await parley('connect', 'claude', '--print');
  expect(code).toBe(0);
  const [{ hooks }] = JSON.parse(stdout).hooks.PermissionRequest;
  const url = `${server.httpUrl}/hooks/claude`;
  expect(hooks).toMatchObject([
    { url, headers: { Authorization: 'Bearer $PARLEY_ASK_TOKEN' }, allowedEnvVars: ['PARLEY_ASK_TOKEN'] },
  ]);
  await expect(readText()).rejects.toThrow('ENOENT');
});

test.each([
  ['what is not JSON', '{ "model": "opus", // mine\n}'],
  ['a list', '[]'],
  ['hooks of another form', '{"hooks":{"Stop":{}}}'],
])('[ASK7] %s is left unchanged, and no token is made', async (_, text) => {
  await writeFile(file, text);
  const tokens = await askers();
  for (const run of [connect, disconnect]) {
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('left as it is') });
    expect(await readText()).toBe(text);
  }
  expect(await askers()).toEqual(tokens);
});

test('[ASK7] a link to the settings file stays a link', async () => {
  const target = join(folder, 'dotfiles.json');
  await writeFile(target, '{}\n');
  await symlink(target, file);
  await connect();
  expect(await readFile(target, 'utf8')).toBe(await readText());
  await disconnect();
  expect(await readFile(target, 'utf8')).toBe('{}\n');
});

test.each(['claude', 'codex'])(
  '[ASK7, ACP4] a link whose target does not exist stays one: the file of %s is made there, and goes',
  async (program) => {
    const target = join(folder, 'dotfiles', 'settings');
    await symlink('dotfiles/settings', file);
    expect(await parley('connect', program, '--url', server.httpUrl, '--yes')).toMatchObject({ code: 0 });
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, 'utf8')).toContain(server.httpUrl);
    expect(await parley('disconnect', program, '--yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('it was deleted, too'),
    });
    expect(await readlink(file)).toBe('dotfiles/settings');
    await expect(lstat(target)).rejects.toThrow('ENOENT');
  },
);

test.each([
  ['claude', '{\n}\n'],
  ['claude', '{}\n'],
  ['codex', '\n'],
  ['codex', ''],
])('[ASK7, ACP4] a file of %s that was there and has no settings is there afterwards: %j', async (program, text) => {
  await writeFile(file, text);
  expect(await parley('connect', program, '--url', server.httpUrl, '--yes')).toMatchObject({ code: 0 });
  expect(await parley('disconnect', program, '--yes')).toMatchObject({ code: 0 });
  expect(await readText()).toBe(text);
});

test.each([
  ['claude', 'Sessions that run already ask within seconds.', 'a failed hook for some seconds.'],
  ['codex', 'Sessions that run already ask from their next start on.', 'a failed hook until their next start.'],
])('[ASK7] it says when sessions of %s that run follow', async (program, begin, end) => {
  expect((await parley('connect', program, '--url', server.httpUrl, '--yes')).stdout).toContain(begin);
  expect((await parley('disconnect', program, '--yes')).stdout).toContain(end);
});

test.each([
  ['claude', '{"model":"opus"}'],
  ['codex', 'model = "gpt-5"'],
])('[ASK7] a byte order mark at the beginning of the file of %s stays', async (program, text) => {
  const marked = `\uFEFF${text}`;
  await writeFile(file, marked);
  expect(await parley('connect', program, '--url', server.httpUrl, '--yes')).toMatchObject({ code: 0 });
  expect((await readText()).charCodeAt(0)).toBe(0xfeff);
  expect(await parley('disconnect', program, '--yes')).toMatchObject({ code: 0 });
  expect(await readText()).toBe(marked);
});

test('[ASK7] without consent, or refused by the server, connect and disconnect leave no new data directory', async () => {
  const run = async (...words: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder };
    return new ParleyProcess([...words, '--settings', file], { env, cwd: folder }).end();
  };
  const elsewhere = ['connect', 'claude', '--url', server.httpUrl];
  expect(await run(...elsewhere)).toMatchObject({ code: 2, stderr: expect.stringContaining('Nothing was changed') });
  expect(await run(...elsewhere, '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('does not know') });
  expect(await readdir(folder)).toEqual([]);
  await connect();
  expect(await run('disconnect', 'claude', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/not known here .* revoked, has expired, or is of another server/),
  });
  expect(await readdir(folder)).toEqual([]);
});

test('[ASK7] disconnect says that its token was revoked already', async () => {
  await connect();
  const [{ id }] = (await askers()).slice(-1);
  await runParley('token', 'revoke', id, '--data-dir', server.dataDir);
  expect((await disconnect()).stdout).toContain('it was revoked, has expired, or is of another server');
});

test('[ASK7] the question at the terminal names the file again, after all that is added', async () => {
  const args = ['connect', 'claude', '--settings', file, '--data-dir', server.dataDir, '--url', server.httpUrl];
  await Terminal.open(args, { columns: 200 }).shows(`Write it to ${file}? [y/N]`);
});

test('[ASK7] a folder that cannot be written leaves no token behind', async () => {
  await writeFile(join(folder, 'plain'), '');
  const tokens = await askers();
  file = join(folder, 'plain', 'settings.json');
  expect(await connect()).toMatchObject({ code: 1 });
  expect(await askers()).toEqual(tokens);
});

test('[ASK7] hooks for another service are not removed, and a token of another role is not revoked', async () => {
  const { token, id } = await createToken(server.dataDir, '--role', 'operator');
  const theirs = {
    type: 'http',
    url: 'http://127.0.0.1:9000/hooks/claude',
    headers: { Authorization: 'Bearer theirs' },
  };
  const byHand = { type: 'http', url: `${server.httpUrl}/hooks/claude`, headers: { Authorization: `Bearer ${token}` } };
  await writeFile(file, JSON.stringify({ hooks: { PreToolUse: [{ hooks: [theirs, byHand] }] } }));
  expect((await disconnect()).stdout).toContain('revoke it there');
  expect(await readHooks()).toEqual({ PreToolUse: [{ hooks: [theirs] }] });
  const { stdout } = await runParley('token', 'list', '--data-dir', server.dataDir);
  expect(stdout).toContain(id);
});

test('[ASK7] without --settings it uses the file in the user’s home', async () => {
  const run = (...words: string[]) =>
    new Promise<unknown>((resolve) => {
      const env = { PATH: process.env.PATH, HOME: folder };
      const args = [mainPath, ...words, '--yes', '--data-dir', server.dataDir];
      execFile(process.execPath, args, { env, cwd: folder }, (error) => resolve(error?.code ?? 0));
    });
  expect(await run('connect', 'claude', '--url', server.httpUrl)).toBe(0);
  file = join(folder, '.claude', 'settings.json');
  expect((await readHooks()).Stop[0].hooks[0].url).toBe(`${server.httpUrl}/hooks/claude`);
  expect(await run('disconnect', 'claude')).toBe(0);
  await expect(readText()).rejects.toThrow('ENOENT');
});

test.each(['http://parley.example.org', 'ftp://127.0.0.1', 'parley'])('[ASK7] no token is sent to %s', async (url) => {
  const { code, stderr } = await parley('connect', 'claude', '--url', url, '--yes');
  expect(code).toBe(2);
  expect(stderr).toMatch(/--url: must be an https address/);
});
