import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createToken, ParleyProcess, runParley } from '../../../server/test/support/command.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { startServer } from '../../../server/test/support/use-server.ts';
import { runDoctor } from './run-doctor.ts';

test('[ASK7] it finds a program whose token was revoked, that asks elsewhere, or that its own settings silence', async () => {
  const server = await startServer({ args: [] });
  const home = makeFolder();
  const at = ['--data-dir', server.dataDir];
  const settings = join(home, 'settings.json');
  const look = () => runDoctor(at, { CLAUDE_CONFIG_DIR: home, PATH: '' });
  await runParley('connect', 'claude', '--yes', '--settings', settings, ...at);
  expect((await look()).codes).toEqual([]);
  const { stdout } = await runParley('token', 'list', '--json', ...at);
  await runParley('token', 'revoke', JSON.parse(stdout).id, ...at);
  expect((await look()).codes).toEqual(['program-token']);
  const other = await startServer();
  const connected = ['--url', other.httpUrl, '--token', 'parley_some-token-of-another-server'];
  await runParley('connect', 'claude', '--yes', '--settings', settings, ...connected);
  expect((await look()).codes).toEqual(['program-elsewhere']);
  writeFileSync(settings, JSON.stringify({ disableAllHooks: true, ...JSON.parse(readFileSync(settings, 'utf8')) }));
  expect((await look()).codes).toEqual(['program-settings', 'program-elsewhere']);
});

test('[ASK7] it says where a program asks, in which mode and version, and finds one that is too old', async () => {
  const server = await startServer({ args: [] });
  const [home, folder, programs] = [makeFolder(), makeFolder(), makeFolder()];
  mkdirSync(join(folder, '.claude'));
  const settings = join(folder, '.claude', 'settings.local.json');
  await runParley('connect', 'claude', '--yes', '--settings', settings, '--data-dir', server.dataDir);
  writeFileSync(
    settings,
    JSON.stringify({ permissions: { defaultMode: 'plan' }, ...JSON.parse(readFileSync(settings, 'utf8')) }),
  );
  const look = async (script: string) => {
    writeFileSync(join(programs, 'claude'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { CLAUDE_CONFIG_DIR: home, PATH: `${programs}:/bin`, PARLEY_ASK_TOKEN: 'a-secret' };
    const { codes, findings } = await runDoctor(['--data-dir', server.dataDir], env, { cwd: folder });
    return [...codes, findings.find(({ subject }) => subject === 'Claude Code')?.words.replace(folder, '')];
  };
  const access = `/.claude/settings.local.json lets it ask at ${server.httpUrl}, in this folder. It starts in the mode plan.`;
  expect(await look('echo "2.1.332 (Claude Code)"')).toEqual([`${access} Version: 2.1.332.`]);
  const without = [`${access} Its version is not known (claude --version prints none).`];
  expect(await look('exit 1')).toEqual(without);
  expect(await look('echo "version $PARLEY_ASK_TOKEN"')).toEqual(without);
  expect(await look('yes')).toEqual(without);
  expect(await look('echo 2.1.332; sleep 60 & exit')).toEqual([`${access} Version: 2.1.332.`]); // a child holds its output open
  expect(await look('exec sleep 60')).toEqual([expect.stringContaining('did not end within 5 s')]);
  expect(await look('echo "2.1.9 (Claude Code)"')).toEqual([
    'program-old',
    'Its version is 2.1.9, and only 2.1.89 or newer asks here: update it.',
  ]);
});

test('[ASK7] it asks Codex whether it trusts the hook as it is, and says if that is not known', async () => {
  const server = await startServer({ args: [] });
  const [home, programs] = [realpathSync(makeFolder()), makeFolder()];
  const settings = join(home, 'config.toml');
  const key = `${settings}:permission_request:0:0`;
  const codex = (hash: string) => {
    const hook = { key, sourcePath: settings, server: 'parley', tool: 'permission', currentHash: hash };
    const reply = (id: number, result: object) => `read line; echo '${JSON.stringify({ id, result })}'`;
    const replies = [reply(1, {}), 'read line', reply(2, { data: [{ hooks: [hook] }] })].join('; ');
    const script = `#!/bin/sh\nif [ "$1" = --version ]; then echo codex-cli 0.171.0; exit; fi\n${hash && replies}\n`;
    writeFileSync(join(programs, 'codex'), script, { mode: 0o755 });
  };
  const env = { CODEX_HOME: home, PATH: `${programs}:/bin` };
  const look = () => runDoctor(['--data-dir', server.dataDir], env);
  const connect = ['connect', 'codex', '--yes', '--settings', settings, '--data-dir', server.dataDir];
  codex('sha256:now');
  const trust = () => new ParleyProcess([...connect, '--trust'], { env }).end();
  expect(await trust()).toMatchObject({ code: 0, stdout: expect.stringContaining('Codex trusts the hook.') });
  expect((await look()).codes).toEqual([]);
  codex('sha256:later');
  const { codes, findings } = await look();
  expect(codes).toEqual(['program-settings']);
  expect(JSON.stringify(findings)).toContain('parley connect codex --trust');
  codex('');
  expect((await look()).findings).toContainEqual(
    expect.objectContaining({
      level: 'note',
      code: 'program-settings',
      words: expect.stringContaining('not known here'),
    }),
  );
  codex('sha256:later');
  expect(await trust()).toMatchObject({ code: 0, stdout: expect.stringContaining('Codex trusts the hook.') });
  expect(readFileSync(settings, 'utf8')).toContain('trusted_hash = "sha256:later"');
  expect((await look()).codes).toEqual([]);
});

test('[SEC9] with --url it tries the token of the environment, and those of the programs that ask there', async () => {
  const server = await startServer({ args: [] });
  const asker = await createToken(server.dataDir, '--role', 'asker', '--name', 'ann’s laptop');
  const home = makeFolder();
  const settings = join(home, 'settings.json');
  const env = { CLAUDE_CONFIG_DIR: home, PATH: '' };
  await runParley(
    'connect',
    'claude',
    '--yes',
    '--settings',
    settings,
    '--url',
    server.httpUrl,
    '--token',
    asker.token,
  );
  const look = (url = server.httpUrl, more = {}) => runDoctor(['--url', url], { ...env, ...more });
  expect((await look()).codes).toEqual([]);
  expect((await look(server.httpUrl, { PARLEY_TOKEN: 'parley_expired' })).codes).toEqual(['token-unknown']);
  const other = await startServer();
  expect((await look(other.httpUrl)).codes).toEqual(['program-elsewhere']);
  await runParley('token', 'revoke', asker.id, '--data-dir', server.dataDir);
  expect((await look()).codes).toEqual(['program-token']);
  expect((await runDoctor(['--data-dir', makeFolder(), '--port', '1'], env)).codes).toContain('program-token');
  await server.kill();
  expect((await look()).codes).toEqual(['no-server', 'program-elsewhere']);
});

test.each(['a pipe', 'a link to what never ends'])('[ASK7] settings that are %s are a finding', async (what) => {
  const [home, dataDir] = [makeFolder(), makeFolder()];
  const settings = join(home, 'settings.json');
  if (what === 'a pipe') execFileSync('mkfifo', [settings]);
  else symlinkSync('/dev/zero', settings);
  const { codes, findings } = await runDoctor(['--data-dir', dataDir, '--port', '1'], { CLAUDE_CONFIG_DIR: home });
  expect(codes).toContain('program-settings');
  expect(JSON.stringify(findings)).toContain('it is not a file');
});
