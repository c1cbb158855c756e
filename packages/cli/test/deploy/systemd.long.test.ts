// No systemd runs in tests. `systemd-analyze` checks the units, the documented steps run in a file system of their own, and the
// commands of the units run there with their user, environment and writable folders.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { Journey } from '../../../server/test/support/journey.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { mainPath } from '../../../server/test/support/server-process.ts';
import { adapt, pathOf } from './example.ts';
import { Installed } from './installed.ts';
import { stop } from './machine.ts';

const units = ['parley.service', 'parley-backup.service', 'parley-backup.timer'];
/** Those of a question on a schedule, which docs/recipes.md shows. */
const asking = ['opening.service', 'opening.timer'];

/** Writes the units, with the command of this checkout instead of the installed one. @returns their folder */
function writeUnits(change = (text: string) => text): string {
  const folder = makeFolder();
  for (const unit of [...units, ...asking]) {
    const places: Record<string, string> = unit === 'parley.service' ? { '/usr/local/bin/parley': mainPath } : {};
    writeFileSync(join(folder, unit), change(adapt(unit, places)));
  }
  return folder;
}

function analyze(...words: string[]) {
  const program = process.env.PARLEY_SYSTEMD_ANALYZE;
  if (!program) throw new Error('systemd-analyze could not be installed.');
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  const about = stderr.split('\n').filter((line) => /\/?(parley(-backup)?|opening)\.(service|timer)/.test(line));
  return { status, stdout, about };
}

test('[OPS1] systemd accepts the units, and finds a misspelt line', () => {
  const folder = writeUnits();
  for (const unit of [...units, ...asking])
    expect(analyze('verify', join(folder, unit))).toMatchObject({ status: 0, about: [] });
  const wrong = writeUnits((text) => text.replace('NoNewPrivileges', 'NoMorePrivileges'));
  expect(analyze('verify', join(wrong, 'parley.service')).about).toEqual([expect.stringContaining('NoMorePrivileges')]);
});

test('[OPS1, OPS4] systemd accepts the lines that a node needs', () => {
  const verify = (change: (text: string) => string) => {
    const folder = writeUnits();
    mkdirSync(join(folder, 'parley.service.d'));
    writeFileSync(join(folder, 'parley.service.d/files.conf'), change(adapt('node-files.conf')));
    return analyze('verify', join(folder, 'parley.service'));
  };
  expect(verify((text) => text)).toMatchObject({ status: 0, about: [] });
  expect(verify((text) => text.replace('RequiresMountsFor', 'RequiresMounts')).about).toEqual([
    expect.stringContaining('RequiresMounts'),
  ]);
});

test('[OPS1] systemd rates the exposure of the unit as low', () => {
  const rate = (folder: string) =>
    analyze('security', '--offline=yes', '--threshold=20', '--no-pager', join(folder, 'parley.service'));
  expect(rate(writeUnits()).status).toBe(0);
  const open = rate(writeUnits((text) => text.replace(/^(Protect|Restrict|System|Private|Cap).*\n/gm, '')));
  expect(open.status).not.toBe(0);
});

test('[OPS1, OPS6] the steps install a server that starts, makes tokens, is backed up each night, and is restored', {
  timeout: 180_000,
}, async () => {
  const installed = await Installed.make();
  const { machine } = installed;
  onTestFinished(() => machine.remove());
  expect(machine.read('calls').split('\n')).toEqual([
    'npm run build',
    'systemctl daemon-reload',
    'systemctl enable --now parley.service parley-backup.timer',
    '',
  ]);
  for (const unit of units) expect(machine.read(`etc/systemd/system/${unit}`)).toBe(adapt(unit));
  expect(statSync(machine.path('etc/parley/parley.env')).mode & 0o777).toBe(0o600);
  expect(machine.read('etc/parley/parley.env')).toMatch(/^PARLEY_TOKEN=[0-9a-f]{64}\n$/);

  // pasted once more, they keep what a person wrote
  const written = ['parley.env', 'parley.config.json'].map((name) => `etc/parley/${name}`);
  const secret = 'TELEGRAM_TOKEN=of-a-person\n';
  machine.write(written[0] ?? '', machine.read('etc/parley/parley.env') + secret);
  machine.write(written[1] ?? '', adapt('parley.config.json', { '31536000000': '86400000' }));
  const kept = written.map((file) => machine.read(file));
  await installed.follow('install.sh');
  expect(written.map((file) => machine.read(file))).toEqual(kept);

  const { server, door } = await installed.start();
  const journey = await Journey.begin(door);
  const prompt = await journey.ask('greet');
  const lines = adapt('on-machine.sh')
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    const { code, stdout, stderr } = await installed.enter(line);
    // Nobody is at the public address, which is not there in a test, and two commands report that.
    const [isPairing, isExamining] = [line.includes(' pair '), line.includes(' doctor ')];
    expect([code, isPairing || isExamining ? '' : stderr], line).toEqual([isExamining ? 1 : 0, '']);
    if (isPairing) expect(stdout).toContain('https://parley.example.org/#code=');
    if (isExamining) expect(stdout.match(/^FAULT .*\n.*/gm)).toEqual([expect.stringContaining('#no-server')]);
  }
  await journey.submit(prompt, { name: 'Bea' }); // after the backup
  expect(await stop(server)).toBe(0);

  const day = execFileSync('date', ['+%a'], { encoding: 'utf8', env: { LC_ALL: 'C' } }).trim();
  expect(statSync(machine.path(`var/lib/parley-backups/parley-${day}.db`)).mode & 0o777).toBe(0o600);
  const calls = machine.read('calls');
  expect(await installed.attempt('restore-backup.sh', { '-Mon': '-Noday' })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('parley-Noday.db'),
  });
  expect(machine.read('calls')).toBe(calls); // nothing was stopped
  await installed.follow('restore-backup.sh', { '-Mon': `-${day}` });
  expect(statSync(machine.path('var/lib/parley/parley.db')).uid).toBe(installed.read('parley.service').options.user);
  const restored = await installed.start();
  const again = await journey.join(restored.door);
  expect(await again.submit(prompt, { name: 'Ada' })).toMatchObject({ ok: true });
  expect(await again.outcome(prompt)).toEqual({ result: 'Hello, Ada!' });
  expect(await stop(restored.server)).toBe(0);
});

test('[OPS1] a plugin of `parley new` is copied with its packages, and the server runs it', {
  timeout: 180_000,
}, async () => {
  const installed = await Installed.make();
  const { machine } = installed;
  onTestFinished(() => machine.remove());
  expect(await machine.run(['parley', 'new', 'my-plugin'], { cwd: '/root' })).toMatchObject({ code: 0, stderr: '' });
  const config = 'etc/parley/parley.config.json';
  const others = { '"./plugins/hello.mjs"': '"./plugins/my-plugin/plugin.ts"' };
  machine.write(config, adapt('parley.config.json', others));
  await installed.follow('own-plugin.sh', {}, '/root');
  await expect(installed.start()).rejects.toThrow('@parleyhq/core'); // a plugin cannot import it from elsewhere

  const modules = 'root/my-plugin/node_modules';
  const needs = 'zod ajv ipaddr.js fast-deep-equal fast-uri json-schema-traverse require-from-string'.split(' ');
  mkdirSync(machine.path(modules, '@parleyhq'), { recursive: true });
  machine.link(pathOf('packages/core'), `${modules}/@parleyhq/core`);
  for (const name of needs) machine.link(pathOf(`node_modules/${name}`), `${modules}/${name}`);
  rmSync(machine.path('etc/parley/plugins/my-plugin'), { recursive: true });
  await installed.follow('own-plugin.sh', {}, '/root');
  const { server, door } = await installed.start();
  const journey = await Journey.begin(door);
  const prompt = await journey.ask('greet', { who: 'Ada' });
  await journey.submit(prompt, { words: 'Good morning' });
  expect(await journey.outcome(prompt)).toEqual({ result: { said: 'Good morning' } });
  expect(await stop(server)).toBe(0);
});

test('[OPS1, SEC2, SEC9] a new token of the owner ends the old one, and browsers stay logged in until they are logged out', {
  timeout: 180_000,
}, async () => {
  const installed = await Installed.make();
  const { machine } = installed;
  onTestFinished(() => machine.remove());
  const tokenNow = () => machine.read('etc/parley/parley.env').trim().replace('PARLEY_TOKEN=', '');
  const old = tokenNow();
  const before = await installed.start();
  const Origin = 'https://parley.example.org';
  const headers = { 'Content-Type': 'application/json', Origin };
  const body = JSON.stringify({ token: old });
  const login = await fetch(`${before.url}/api/login`, { method: 'POST', headers, body });
  const [cookie = ''] = (login.headers.get('set-cookie') ?? '').split(';');
  expect(await stop(before.server)).toBe(0);

  await installed.follow('rotate-token.sh');
  expect(machine.read('calls')).toMatch(/systemctl restart parley\n$/);
  expect(tokenNow()).toMatch(/^[0-9a-f]{64}$/);
  expect(tokenNow()).not.toBe(old);
  expect(statSync(machine.path('etc/parley/parley.env')).mode & 0o777).toBe(0o600);
  const { server, door, url } = await installed.start();
  const statusOf = async (more: Record<string, string>) =>
    (await fetch(`${url}/api/interactions`, { headers: { Origin, ...more } })).status;
  expect(await statusOf({ Authorization: `Bearer ${old}` })).toBe(401);
  expect(await statusOf({ Authorization: `Bearer ${tokenNow()}` })).toBe(200);
  expect(await statusOf({ Cookie: cookie })).toBe(200);
  await (await door.open()).waitFor('welcome');

  const enter = (words: string) => installed.enter(`runuser -u parley -- parley ${words} --data-dir /var/lib/parley`);
  const [, id] = /^(\w+) {2}owner /m.exec((await enter('token logins')).stdout) ?? [];
  expect(await enter(`token logout ${id}`)).toMatchObject({ code: 0, stderr: '' });
  expect(await statusOf({ Cookie: cookie })).toBe(401);

  // another person's token: a second one, or the same name again, is the same person
  const create = async (words: string) => JSON.parse((await enter(`token create --json --role ${words}`)).stdout);
  const ann = await create('responder --name Ann');
  expect(await create('responder --name Ann-2 --owner Ann')).toMatchObject({ owner: ann.id });
  expect(await enter(`token revoke ${ann.id}`)).toMatchObject({ code: 0, stderr: '' });
  expect(await create(`responder --name Ann --owner ${ann.id}`)).toMatchObject({ owner: ann.id });

  // the token with which Prometheus reads the metrics
  const Authorization = `Bearer ${(await create('viewer --name Prometheus')).token}`;
  expect((await fetch(`${url}/metrics`, { headers: { Authorization } })).status).toBe(200);
  const { scrape_configs: jobs } = parse(adapt('prometheus.yml'), { strict: true });
  expect(jobs).toMatchObject([
    { job_name: 'parley', scheme: 'https', static_configs: [{ targets: ['parley.example.org'] }] },
  ]);
  expect(await stop(server)).toBe(0);
});
