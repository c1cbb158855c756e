// No systemd runs in tests. `systemd-analyze` checks the units, the documented steps run in a file system of their own, and the
// commands of the units run there with their user, environment and writable folders.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPort } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { Journey } from '../../../server/test/support/journey.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { mainPath } from '../../../server/test/support/server-process.ts';
import { Tab, type TabOptions } from '../../../server/test/support/tab.ts';
import { adapt, pathOf } from './example.ts';
import { Machine, stop, untilReady } from './machine.ts';

const units = ['parley.service', 'parley-backup.service', 'parley-backup.timer'];

/** Writes the units, with the command of this checkout instead of the installed one. @returns their folder */
function writeUnits(change = (text: string) => text): string {
  const folder = makeFolder();
  for (const unit of units) {
    const places: Record<string, string> = unit === 'parley.service' ? { '/usr/local/bin/parley': mainPath } : {};
    writeFileSync(join(folder, unit), change(adapt(unit, places)));
  }
  return folder;
}

function analyze(...words: string[]) {
  const program = process.env.PARLEY_SYSTEMD_ANALYZE;
  if (!program) throw new Error('systemd-analyze could not be installed.');
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  const about = stderr.split('\n').filter((line) => /\/?parley(-backup)?\.(service|timer)/.test(line));
  return { status, stdout, about };
}

test('[OPS1] systemd accepts the units, and finds a misspelt line', () => {
  const folder = writeUnits();
  for (const unit of units) expect(analyze('verify', join(folder, unit))).toMatchObject({ status: 0, about: [] });
  const wrong = writeUnits((text) => text.replace('NoNewPrivileges', 'NoMorePrivileges'));
  expect(analyze('verify', join(wrong, 'parley.service')).about).toEqual([expect.stringContaining('NoMorePrivileges')]);
});

test('[OPS1] systemd rates the exposure of the unit as low', () => {
  const rate = (folder: string) =>
    analyze('security', '--offline=yes', '--threshold=20', '--no-pager', join(folder, 'parley.service'));
  expect(rate(writeUnits()).status).toBe(0);
  const open = rate(writeUnits((text) => text.replace(/^(Protect|Restrict|System|Private|Cap).*\n/gm, '')));
  expect(open.status).not.toBe(0);
});

/** Reads a setting of a unit. */
const settingOf = (unit: string, name: string): string =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(adapt(unit))?.[1] ?? '';

let machine: Machine;
let port: number;
beforeAll(async () => {
  machine = new Machine();
  port = await findPort();
  mkdirSync(machine.path('opt/parley/docs'), { recursive: true });
  for (const name of ['packages', 'plugins', 'docs/examples', 'package.json'])
    machine.link(pathOf(name), join('opt/parley', name));
  mkdirSync(machine.path('opt/parley/node_modules'));
  for (const name of ['@parleyhq', 'better-sqlite3', 'bindings', 'file-uri-to-path', 'tsx'])
    machine.link(pathOf(`node_modules/${name}`), `opt/parley/node_modules/${name}`);
  mkdirSync(machine.path('etc/systemd/system'), { recursive: true });
  // npm has built already, and there is no systemd
  for (const name of ['npm', 'systemctl'])
    machine.write(`local/bin/${name}`, `#!/bin/sh\necho ${name} "$@" >> /calls\n`, 0o755);
}, 120_000);
afterAll(() => machine?.remove());

/** Runs the command of a unit as systemd would, or one of its user. */
function runUnit(unit: string, command = settingOf(unit, 'ExecStart')) {
  const [name, , id] = machine.read('etc/passwd').match(/^parley:x:(\d+):(\d+):/m) ?? [];
  expect(name, 'the user of the unit').toBeDefined();
  const user = Number(id);
  const folders = settingOf(unit, 'StateDirectory').split(' ');
  for (const folder of folders) machine.makeFolder(`var/lib/${folder}`, user);
  const file = settingOf(unit, 'EnvironmentFile');
  const pairs = file === '' ? [] : machine.read(file).trim().split('\n');
  const env = Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/).slice(0, 2)));
  const cwd = settingOf(unit, 'WorkingDirectory') || '/';
  const writable = [...folders.map((folder) => `var/lib/${folder}`), 'tmp'];
  return { command: command.split(' '), options: { user, cwd, writable, env: { ...env, PARLEY_PORT: String(port) } } };
}

async function startUnit() {
  const { command, options } = runUnit('parley.service');
  const server = machine.start([...command, '--json'], options);
  const { token } = await untilReady(server);
  return {
    server,
    door: {
      open: (tab: TabOptions = {}) => Tab.open(`ws://127.0.0.1:${port}/ws`, { ...tab, hello: { token } }),
    },
  };
}

test('[OPS1, OPS6] the steps install a server that starts, makes tokens, is backed up each night, and is restored', async () => {
  machine.write('install.sh', adapt('install.sh'));
  const installed = await machine.run(['sh', '/install.sh']);
  expect([installed.code, installed.stderr]).toEqual([0, '']);
  expect(machine.read('calls').split('\n')).toEqual([
    'npm run build',
    'systemctl daemon-reload',
    'systemctl enable --now parley.service parley-backup.timer',
    '',
  ]);
  for (const unit of units) expect(machine.read(`etc/systemd/system/${unit}`)).toBe(adapt(unit));
  expect(statSync(machine.path('etc/parley/parley.env')).mode & 0o777).toBe(0o600);
  expect(machine.read('etc/parley/parley.env')).toMatch(/^PARLEY_TOKEN=[0-9a-f]{64}\n$/);

  const { server, door } = await startUnit();
  const journey = await Journey.begin(door);
  const prompt = await journey.ask('greet');
  for (const [, command = ''] of adapt('on-machine.sh').matchAll(/^runuser -u parley -- (.*)$/gm)) {
    const { options } = runUnit('parley-backup.service');
    expect(await machine.run(command.split(' '), options), command).toMatchObject({ code: 0, stderr: '' });
  }
  const backup = runUnit('parley-backup.service');
  expect(await machine.run(backup.command, backup.options)).toMatchObject({ code: 0, stderr: '' });
  expect(await stop(server)).toBe(0);

  const [, day] = execFileSync('date', ['+x %a'], { encoding: 'utf8', env: { LC_ALL: 'C' } })
    .trim()
    .split(' ');
  const copies = machine.path('var/lib/parley-backups');
  expect(statSync(join(copies, `parley-${day}.db`)).mode & 0o777).toBe(0o600);
  const { user } = runUnit('parley.service').options;
  machine.write('restore.sh', adapt('restore-backup.sh', { '-Mon': `-${day}` }));
  expect(await machine.run(['sh', '/restore.sh'])).toMatchObject({ code: 0, stderr: '' });
  expect(statSync(machine.path('var/lib/parley/parley.db')).uid).toBe(user);
  const restored = await startUnit();
  const again = await journey.join(restored.door);
  expect(await again.submit(prompt, { name: 'Ada' })).toMatchObject({ ok: true });
  expect(await again.outcome(prompt)).toEqual({ result: 'Hello, Ada!' });
  expect(await stop(restored.server)).toBe(0);
}, 180_000);
