import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proveIdentity } from '@parleyhq/server';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { mainPath } from '../../server/test/support/server-process.ts';
import { makeServerKey } from '../src/running-server/running-server.ts';

let folder: string;
let home: string;
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'parley-trust-'));
  folder = join(root, 'project');
  home = join(root, 'home');
  mkdirSync(folder);
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

interface End {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in the folder without a terminal. A server is stopped when it is ready. */
async function parley(...words: string[]): Promise<End> {
  return parleyWith({}, ...words);
}

async function parleyWith(env: Readonly<Record<string, string>>, ...words: string[]): Promise<End> {
  const child = spawn(process.execPath, [mainPath, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    if (words[0] === 'serve' && stdout.includes('"ready":true')) child.kill('SIGTERM');
  });
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

const serve = (...flags: string[]) => parley('serve', '--json', '--port', '0', '--no-auth', ...flags);

/** A module that leaves a trace if it runs. */
const planted = (value: string) =>
  `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(trace())}, ''); export default ${value};`;
const trace = () => join(folder, 'it-ran');

test('[SEC10] a config file that is a program is not run just because it is in the current folder', async () => {
  writeFileSync(join(folder, 'parley.config.mjs'), planted('{}'));
  const refused = await serve('--data-dir', 'data');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(join(folder, 'parley.config.mjs'));
  expect(refused.stderr).toContain('--trust');
  expect(existsSync(trace())).toBe(false);

  expect(await serve('--data-dir', 'data', '--trust')).toMatchObject({ code: 0 });
  expect(existsSync(trace())).toBe(true);
  expect(await serve('--data-dir', 'data')).toMatchObject({ code: 0 }); // remembered
  writeFileSync(join(folder, 'parley.config.mjs'), `${planted('{}')}\n// changed`);
  expect(await serve('--data-dir', 'data')).toMatchObject({ code: 2 });
  expect(statSync(join(home, 'parley/trust.json')).mode & 0o777).toBe(0o600);
});

test('[SEC10] a plugin that is named by a config file of this folder needs trust like other code', async () => {
  writeFileSync(join(folder, 'plugin.mjs'), planted("{ name: 'planted', tools: [] }"));
  writeFileSync(join(folder, 'parley.config.json'), JSON.stringify({ plugins: ['./plugin.mjs'] }));
  const refused = await serve('--data-dir', 'data');
  expect(refused.code).toBe(2);
  for (const name of ['parley.config.json', 'plugin.mjs']) expect(refused.stderr).toContain(join(folder, name));
  expect(existsSync(trace())).toBe(false);

  expect(await serve('--data-dir', 'data', '--trust')).toMatchObject({ code: 0 });
  writeFileSync(join(folder, 'plugin.mjs'), `${planted("{ name: 'planted', tools: [] }")}\n// changed`);
  const changed = await serve('--data-dir', 'data');
  expect(changed.stderr).toContain('plugin.mjs');
  expect(changed.stderr).not.toContain('parley.config.json');
});

test.each([
  ['token', 'a token that somebody else knows'],
  ['allowedOrigins', ['https://elsewhere.example']],
  ['frameAncestors', ['https://elsewhere.example']],
  ['auth', false],
  ['behindProxy', true],
  ['host', '::'],
  ['policies', [{ tool: '*', effect: 'allow' }]],
])('[SEC10] a config file of this folder that sets %s needs trust, although it runs no code', async (key, value) => {
  writeFileSync(join(folder, 'parley.config.json'), JSON.stringify({ port: 0, [key]: value }));
  const start = (...flags: string[]) => serve('--host', '127.0.0.1', '--data-dir', 'data', ...flags);
  const refused = await start();
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(`parley.config.json: a config file that sets ${key}\n`);
  expect(await start('--trust')).toMatchObject({ code: 0 });
  expect(await start()).toMatchObject({ code: 0 }); // remembered
  writeFileSync(join(folder, 'parley.config.json'), JSON.stringify({ port: 1, [key]: value }));
  expect(await start()).toMatchObject({ code: 2 });
  expect(await start('--config', 'parley.config.json')).toMatchObject({ code: 0 });
});

test('[SEC10] a config file of this folder without such settings is used without trust', async () => {
  const policies = [{ tool: '*', effect: 'deny' }];
  const harmless = { interactionTimeoutMs: 1000, logLevel: 'info', quotas: { connections: 3 }, auth: true, policies };
  writeFileSync(join(folder, 'parley.config.json'), JSON.stringify(harmless));
  expect(await serve('--data-dir', 'data')).toMatchObject({ code: 0, stderr: expect.stringContaining('deny *') });
});

test('[SEC10] a data directory that is a link is followed only if it is named', async () => {
  const elsewhere = join(folder, '../elsewhere');
  mkdirSync(join(elsewhere, 'inner'), { recursive: true });
  chmodSync(join(elsewhere, 'inner'), 0o755);
  symlinkSync(join(elsewhere, 'inner'), join(folder, '.parley'));
  const refused = await serve('--trust');
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(join(folder, '.parley')) });
  expect(await parley('token', 'list')).toMatchObject({ code: 2 });

  rmSync(join(folder, '.parley'));
  symlinkSync(elsewhere, join(folder, 'way'));
  writeFileSync(join(folder, 'parley.config.json'), JSON.stringify({ dataDir: 'way/inner' }));
  expect(await serve('--trust')).toMatchObject({ code: 2, stderr: expect.stringContaining(join(folder, 'way')) });
  expect(statSync(join(elsewhere, 'inner')).mode & 0o777).toBe(0o755);
  expect(await serve('--data-dir', 'way/inner')).toMatchObject({ code: 0 });
});

test.runIf(process.platform === 'linux')('[SEC10] a config file that is a pipe does not block the start', async () => {
  spawnSync('mkfifo', [join(folder, 'parley.config.json')]);
  expect(await serve()).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a file') });
});

test('[SEC10] files that are named by a flag or variable are trusted', async () => {
  writeFileSync(join(folder, 'plugin.mjs'), planted("{ name: 'planted', tools: [] }"));
  writeFileSync(join(folder, 'parley.config.mjs'), "export default { plugins: ['./plugin.mjs'] }");
  expect(await serve('--config', 'parley.config.mjs', '--data-dir', 'data')).toMatchObject({ code: 0 });
  expect(existsSync(trace())).toBe(true);
  expect(existsSync(home)).toBe(false);
});

test('[SEC10] a data directory that somebody else put here is not used; one that this user created is', async () => {
  expect(await serve()).toMatchObject({ code: 0 }); // a fresh folder
  expect(await serve()).toMatchObject({ code: 0 });
  expect(statSync(join(folder, '.parley')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, '.parley/parley.id')).mode & 0o777).toBe(0o600);

  const own = folder;
  folder = join(own, 'cloned');
  mkdirSync(folder);
  cpSync(join(own, '.parley'), join(folder, '.parley'), { recursive: true });
  const refused = await serve();
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(join(folder, '.parley'));
  expect(refused.stderr).toContain('--trust');
  expect(await serve('--data-dir', '.parley')).toMatchObject({ code: 0 });

  folder = own; // another store at a trusted path
  rmSync(join(folder, '.parley/parley.id'));
  expect(await serve()).toMatchObject({ code: 2 });
});

test('[SEC10] a token can be made before the first start', async () => {
  expect(await parley('token', 'create', '--role', 'viewer', '--name', 'ada')).toMatchObject({ code: 0 });
  const { code, stderr } = await serve();
  expect(code).toBe(0);
  expect(stderr).toContain('ada (viewer)'); // the start lists the tokens with access
});

test('[SEC10] commands that only read import no code', async () => {
  expect(await serve()).toMatchObject({ code: 0 });
  writeFileSync(join(folder, 'parley.config.mjs'), planted('{}'));
  for (const words of [['audit'], ['token', 'list'], ['export', 'none'], ['grants', 'list', '--port', '1']]) {
    const { stderr } = await parley(...words);
    expect([words, stderr]).toEqual([words, expect.stringContaining('was not read')]);
    const named = await parley(...words, '--config', 'parley.config.mjs');
    expect([words, named.code, named.stderr]).toEqual([words, 2, expect.stringContaining('is a program')]);
  }
  expect(existsSync(trace())).toBe(false);
});

test('[SEC2, SEC10] a token is not sent to the address of a config file of this folder', async () => {
  writeFileSync(join(folder, 'parley.config.json'), JSON.stringify({ host: 'elsewhere.invalid', port: 9 }));
  const list = (...flags: string[]) => parleyWith({ PARLEY_TOKEN: 'a token of somebody' }, 'grants', 'list', ...flags);
  const refused = await list();
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(`${join(folder, 'parley.config.json')}: a config file that says where`);
  const named = { code: 1, stderr: expect.stringContaining('No server answers at elsewhere.invalid:9') };
  expect(await list('--config', 'parley.config.json')).toMatchObject(named);
});

test('[SEC2, SEC10] a port from a config file of this folder gets no token, unless its server proves its identity', async () => {
  const token = 'a token of somebody';
  let key = '';
  const seen: string[] = [];
  const listener = createServer((request, response) => {
    seen.push(JSON.stringify([request.url, request.headers]));
    const nonce = new URL(request.url ?? '', 'http://localhost').searchParams.get('nonce') ?? '';
    response.end(JSON.stringify({ proof: proveIdentity(key, { nonce, port }) ?? 'none' }));
  });
  listener.on('upgrade', (request, socket) => {
    seen.push(JSON.stringify([request.url, request.headers]));
    socket.end();
  });
  onTestFinished(() => void listener.close());
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const { port } = listener.address() as AddressInfo;
  writeFileSync(join(folder, 'parley.config.json'), JSON.stringify({ port }));
  const list = (...flags: string[]) => parleyWith({ PARLEY_TOKEN: token }, 'grants', 'list', ...flags);
  const refused = { code: 2, stdout: '', stderr: expect.stringContaining('a config file that says where') };
  const isSent = () => seen.some((request) => request.includes('/ws'));

  expect(await list()).toMatchObject(refused);
  expect(await list('--token', token)).toMatchObject(refused);
  key = makeServerKey(mkdtempSync(join(folder, 'of-others-')));
  mkdirSync(join(folder, '.parley')); // another program that brings its own key
  writeFileSync(join(folder, '.parley/parley.key'), key);
  expect(await list()).toMatchObject(refused);
  expect(seen).toEqual([]);

  rmSync(join(folder, '.parley'), { recursive: true });
  expect(await serve()).toMatchObject({ code: 0 }); // this user creates it
  key = readFileSync(join(folder, '.parley/parley.key'), 'utf8').trim();
  await list();
  expect(isSent()).toBe(true);

  seen.length = 0;
  rmSync(join(folder, '.parley'), { recursive: true });
  await list('--port', String(port)); // named
  expect(isSent()).toBe(true);
});

test.each(['claude', 'codex'])(
  '[SEC10, ASK7] connect %s does not use the address of a config file of this folder',
  async (program) => {
    const file = join(home, 'settings');
    const connect = (...flags: string[]) => parley('connect', program, '--yes', '--settings', file, ...flags);
    const refused = { code: 2, stdout: '', stderr: expect.stringContaining('a config file that says where') };
    for (const place of [{ host: '192.0.2.1' }, { port: 9 }]) {
      writeFileSync(join(folder, 'parley.config.json'), JSON.stringify(place));
      expect(await connect()).toMatchObject(refused);
      expect(await connect('--print')).toMatchObject(refused);
    }
    writeFileSync(join(folder, 'parley.config.json'), JSON.stringify({ host: '192.0.2.1' }));
    const plain = { code: 2, stdout: '', stderr: expect.stringContaining('must be an https address') };
    expect(await connect('--config', 'parley.config.json')).toMatchObject(plain);
    expect(existsSync(file)).toBe(false);
    expect(existsSync(join(folder, '.parley'))).toBe(false);
  },
);

test('[SEC10] the list of trusted files is not read from a link or from a file that others can write', async () => {
  writeFileSync(join(folder, 'parley.config.mjs'), 'export default {}');
  expect(await serve('--data-dir', 'data', '--trust')).toMatchObject({ code: 0 });
  const file = join(home, 'parley/trust.json');
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  writeFileSync(join(folder, 'planted.json'), text);
  symlinkSync(join(folder, 'planted.json'), file);
  expect(await serve('--data-dir', 'data')).toMatchObject({ code: 2 });
});
