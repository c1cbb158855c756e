import { spawn } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { failToStart } from '../../server/test/support/fail-to-start.ts';
import { makeFolder, pluginOf } from '../../server/test/support/plugin-file.ts';
import { mainPath, spawnServer } from '../../server/test/support/server-process.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';

const folder = makeFolder();
const server = useServer();

test('[OPS2] with --json stdout is one line and nothing else, until the process ends', async () => {
  const own = await startServer();
  expect(own.ready).toEqual({
    ready: true,
    url: `http://127.0.0.1:${own.ready.port}/`,
    port: expect.any(Number),
    token: null,
    pid: expect.any(Number),
  });
  const tab = await own.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call no_such_tool {}');
  await tab.event(session, 'turn_end');
  expect(await own.kill('SIGTERM')).toBe(0);
  expect(own.stdout.join('').trim().split('\n')).toHaveLength(1);
  for (const line of own.stderr.join('').trim().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) });
});

test('[OPS2, SEC5] on a terminal the log is readable text without control characters', async () => {
  const plugin = join(folder, 'loud.mjs');
  await writeFile(
    plugin,
    `export default { name: 'loud', tools: [], setup: ({ log }) => log.warn('hello \\u001b[31m\\u009b', { shade: 'red' }) };`,
  );
  const dataDir = join(folder, 'terminal');
  const line = `exec '${process.execPath}' '${mainPath}' serve --no-auth --port 0 --data-dir '${dataDir}' --plugin '${plugin}'`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], { cwd: folder }); // util-linux `script` makes a pseudo-terminal
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += String(chunk);
  });
  await expect.poll(() => shown, { timeout: 30_000 }).toMatch(/Parley is ready/);
  expect(shown).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: loud: hello \\u001b\[31m\\u009b\r\n(.*\r\n)*? {4}shade: "red"/m);
  expect(shown).not.toContain('\u001b');
  expect(shown).not.toContain('{"level"');
});

test('[OPS2, SEC8] only its owner can read the data directory', async () => {
  expect((await stat(server.dataDir)).mode & 0o777).toBe(0o700);
  for (const name of ['parley.db', 'parley.db-wal']) {
    expect((await stat(join(server.dataDir, name))).mode & 0o777).toBe(0o600);
  }
});

test('[OPS2] a port in use is reported in one sentence', async () => {
  const { code, stderr } = await failToStart({ args: ['--no-auth', '--port', String(server.ready.port)] });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`Port ${server.ready.port} is taken`)]);
});

test('[SEC1] behind a proxy, with a token, every address is served', async () => {
  const own = await startServer({ args: ['--host', '0.0.0.0', '--behind-proxy'] });
  expect(own.ready.token).toMatch(/^parley_/);
  expect((await fetch(`${own.httpUrl}/healthz`)).status).toBe(200);
});

test('[SEC1] by default it listens on 127.0.0.1 only', async () => {
  const own = await startServer({ args: ['--host', '127.0.0.2', '--no-auth'] });
  await expect(fetch(`http://127.0.0.1:${own.ready.port}/healthz`)).rejects.toThrow();
  expect(new URL(server.ready.url).hostname).toBe('127.0.0.1');
});

test('[OPS2] flags override the environment, the environment the file, and the file the defaults', async () => {
  const config = join(folder, 'parley.json');
  await writeFile(config, JSON.stringify({ token: 'from-the-file-of-settings', host: '127.0.0.3' }));
  const tokenOf = async (args: string[], env: Record<string, string> = {}) => {
    const own = await startServer({ args: ['--config', config, ...args], env });
    return [own.ready.token, new URL(own.ready.url).hostname];
  };
  const env = { PARLEY_TOKEN: 'from-the-environment' };
  expect(await tokenOf([])).toEqual(['from-the-file-of-settings', '127.0.0.3']);
  expect(await tokenOf([], env)).toEqual(['from-the-environment', '127.0.0.3']);
  expect(await tokenOf(['--token', 'from-the-command-line', '--host', '127.0.0.4'], env)).toEqual([
    'from-the-command-line',
    '127.0.0.4',
  ]);
});

test('[OPS2, PLG4] plugins of --plugin, repeated, and of the config file are all loaded', async () => {
  const plugin = (name: string) =>
    `export default { name: '${name}', tools: [{ name: '${name}_tool', description: 'x', parameters: {type:'object'}, handler: () => '${name}' }] };`;
  const [a, b, c] = await Promise.all(['aa', 'bb', 'cc'].map((name) => pluginOf(plugin(name))));
  const config = join(folder, 'plugins.json');
  await writeFile(config, JSON.stringify({ plugins: [c] }));
  const own = await startServer({ plugins: [a, b] as string[], args: ['--no-auth', '--config', config] });
  const tab = await own.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call aa_tool {}\n/call bb_tool {}\n/call cc_tool {}');
  const { payload } = await tab.event(session, 'assistant_done');
  expect(payload.text).toBe('aa_tool returned: "aa"\nbb_tool returned: "bb"\ncc_tool returned: "cc"');
});

test('[DUR9] a second process on the same data names the first and does not disturb it', async () => {
  const { child, stderr } = spawnServer(server.dataDir, {});
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect([code, stderr.join('')]).toEqual([1, expect.stringContaining(`pid ${server.ready.pid}`)]);
  await (await server.open()).createSession();
});

test('[OPS2] --help lists every flag of serve, and --version prints the version', async () => {
  expect((await runParley('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = (await runParley('serve', '--help')).stdout;
  for (const flag of [
    '--port',
    '--host',
    '--data-dir',
    '--agent',
    '--model',
    '--plugin',
    '--token',
    '--no-auth',
    '--behind-proxy',
    '--config',
    '--json',
    '--open',
    '--watch',
  ]) {
    expect(help).toContain(flag);
  }
});
