// There is no container engine in tests. The instructions of the Dockerfile are carried out in folders, and its start line runs in
// them with the user, the mounts and the restrictions of docs/examples/deploy/compose.yaml.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findPort } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { Journey } from '../../../server/test/support/journey.ts';
import { Tab, type TabOptions } from '../../../server/test/support/tab.ts';
import { BuildFolder } from './built.ts';
import { adapt, pathOf } from './example.ts';
import { Machine, stop, untilReady } from './machine.ts';

/** The instructions of each stage, as name and value. */
const stages = readFileSync(pathOf('Dockerfile'), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, '')
  .split(/^(?=FROM )/m)
  .map((stage) => [...stage.matchAll(/^(\w+) (.*)$/gm)].map(([, name = '', value = '']) => ({ name, value })));
const [building = [], image = []] = stages;
const last = (name: string): string => image.findLast((each) => each.name === name)?.value ?? '';

/** The service of the compose file, with the values of its .env file. */
const values = { PARLEY_TOKEN: 'parley_of-the-compose-file-1', PARLEY_HOST: 'parley.example.org' };
const service = parse(
  adapt('compose.yaml').replace(/\$\{(\w+)[^}]*\}/g, (_, name: keyof typeof values) => values[name] ?? ''),
).services.parley;
const user = 1000;

let machine: Machine;
let port: number;
beforeAll(async () => {
  machine = new Machine();
  const build = new BuildFolder();
  for (const { name, value } of building) if (name === 'RUN' && !value.includes('apt-get')) build.run(value);
  await makeImage(build);
  build.remove();
  // what a person puts next to the compose file
  mkdirSync(machine.path('config/plugins'), { recursive: true });
  machine.write('config/parley.config.json', adapt('parley.config.json'));
  machine.write('config/backup.sh', adapt('backup.sh'));
  cpSync(pathOf('docs/examples/hello.mjs'), machine.path('config/plugins/hello.mjs'));
  machine.makeFolder('backups', user);
  port = await findPort();
}, 300_000);
afterAll(() => machine?.remove());

async function makeImage(build: BuildFolder): Promise<void> {
  const workDir = last('WORKDIR');
  for (const { name, value } of image) {
    if (name === 'COPY') {
      const [, from = '', to = ''] = /^--from=build \/app\/(\S+) (\S+)$/.exec(value) ?? [];
      const place = to === './' ? join(workDir, from) : join(workDir, to);
      mkdirSync(machine.path(dirname(place)), { recursive: true });
      machine.link(join(build.path, from), place);
    }
    if (name === 'RUN') expect(await machine.run(['sh', '-c', value])).toEqual({ code: 0, stdout: '', stderr: '' });
  }
}

/** The environment of a process in the container. */
const environment = () => {
  const own = last('ENV')
    .split(' ')
    .map((pair) => pair.split('='));
  return { ...Object.fromEntries(own), ...service.environment } as Record<string, string>;
};
const container = () => {
  const writable = [
    ...service.volumes.map((volume: string) => volume.split(':')).filter(([, , mode]: string[]) => mode !== 'ro'),
    ...service.tmpfs.map((mount: string) => ['', mount.split(':')[0]]),
  ].map(([, folder]) => folder as string);
  return { user, cwd: last('WORKDIR'), env: environment(), writable };
};
const execute = (...command: string[]) => machine.run(command, container());

/** Starts the server by the lines of the image, on a port of the test. */
async function startServer() {
  const changed = JSON.parse(last('CMD')).map((word: string) =>
    word === '7420' ? String(port) : word === '0.0.0.0' ? '127.0.0.1' : word,
  );
  const child = machine.start([...JSON.parse(last('ENTRYPOINT')), ...changed, '--json'], container());
  await untilReady(child);
  return child;
}

const door = {
  open: (options: TabOptions = {}) =>
    Tab.open(`ws://127.0.0.1:${port}/ws`, { ...options, hello: { token: values.PARLEY_TOKEN } }),
};

test('[OPS1, OPS6] the image starts read-only as another user, with a config file, a plugin and its commands on the path, and is restored', async () => {
  for (const name of ['playwright-core', 'typescript'])
    expect(existsSync(machine.path('app/node_modules', name))).toBe(false);
  const server = await startServer();
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
  expect(status).toMatch(/^CapBnd:\t0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  expect(await execute('touch', '/app/more')).toMatchObject({ code: 1, stderr: expect.stringContaining('Read-only') });

  const check = JSON.parse(last('HEALTHCHECK').replace(/^.*CMD /, '')).map((word: string) =>
    word.replace(':7420', `:${port}`),
  );
  expect(await execute(...check)).toMatchObject({ code: 0 });
  const journey = await Journey.begin(door);
  const prompt = await journey.ask('greet');

  const commands = ['in-container.sh', 'upgrade-container.sh'].flatMap((name) => [
    ...adapt(name).matchAll(/^ *docker compose exec parley (.*)$/gm),
  ]);
  expect(commands).toHaveLength(6);
  const key = await execute('parley', 'receipt', 'key');
  for (const [, command = ''] of commands) {
    const { code, stdout, stderr } = await execute('sh', '-c', command);
    // Nobody is at the public address, which is not there in a test, and two commands report that.
    const [isPairing, isExamining] = [command.includes(' pair '), command.endsWith(' doctor')];
    expect([code, isPairing || isExamining ? '' : stderr], command).toEqual([isExamining ? 1 : 0, '']);
    if (isPairing) expect(stdout).toContain(`https://${values.PARLEY_HOST}/#code=`);
    if (isExamining) expect(stdout.match(/^FAULT .*\n.*/gm)).toEqual([expect.stringContaining('#no-server')]);
  }
  expect(await execute('parley', 'token', 'list', '--json')).toMatchObject({
    stdout: expect.stringContaining('"Ann"'),
  });
  expect(machine.read('backups/parley-before.db')).toContain('SQLite');
  const day = execFileSync('date', ['+%a'], { encoding: 'utf8', env: { LC_ALL: 'C' } }).trim();
  const copies = machine.path('backups');
  for (const name of ['push-keys.json', 'receipt-key.pem'])
    expect(readFileSync(join(copies, `parley-${day}.keys`, name))).toEqual(readFileSync(machine.path('data', name)));

  await journey.submit(prompt, { name: 'Bea' }); // after the backup
  expect(await stop(server)).toBe(0);
  const [, restore = ''] =
    /--entrypoint sh parley -euc '([^']*)' sh "\$copy"$/m.exec(adapt('restore-in-container.sh')) ?? [];
  rmSync(machine.path('data/receipt-key.pem')); // as in the volume of another machine
  expect(await execute('sh', '-euc', restore, 'sh', `parley-${day}`)).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await execute('parley', 'receipt', 'key')).toEqual(key);
  const next = await startServer();
  const again = await journey.join(door);
  expect(await again.submit(prompt, { name: 'Ada' })).toMatchObject({ ok: true });
  expect(await again.outcome(prompt)).toEqual({ result: 'Hello, Ada!' });
  expect(await stop(next)).toBe(0);
}, 120_000);

test('[OPS1, OPS6] the steps before it make a folder that the compose file can use, and a copy that is missing stops nothing', async () => {
  machine.makeFolder('opt/parley/docs');
  machine.link(pathOf('docs/examples'), 'opt/parley/docs/examples');
  for (const name of ['docker', 'editor'])
    machine.write(`local/bin/${name}`, '#!/bin/sh\necho "$@" >> /calls\n', 0o755);
  // What is pasted after an editor was started is typed into it, so it is the last that a block does.
  expect(adapt('compose.sh')).toMatch(/"\$\{EDITOR:-vi\}" \.env.*\n\)\n$/);
  await runSteps('compose.sh');
  expect(machine.read('calls')).toBe('.env\n');
  await runSteps('compose-up.sh');
  expect(machine.read('srv/parley/compose.yaml')).toBe(adapt('compose.yaml'));
  expect(machine.read('srv/parley/.env')).toMatch(/^PARLEY_TOKEN=[0-9a-f]{64}$/m);
  expect(machine.read('calls')).toBe('.env\ncompose up --build --detach\n');
  expect(machine.read('srv/parley/config/backup.sh')).toBe(adapt('backup.sh'));

  // pasted once more, they keep what a person wrote
  const written = ['compose.yaml', 'config/parley.config.json', '.env'].map((name) => `srv/parley/${name}`);
  for (const file of written) machine.write(file, `${machine.read(file)}\n`);
  const kept = written.map((file) => machine.read(file));
  await runSteps('compose.sh');
  expect(written.map((file) => machine.read(file))).toEqual(kept);

  machine.write('calls', '');
  machine.write('restore.sh', adapt('restore-in-container.sh'));
  const restoring = await machine.run(['sh', '/restore.sh'], { cwd: '/srv/parley' });
  expect(restoring).toMatchObject({ code: 2, stderr: expect.stringContaining('parley-Mon.db') }); // there is no copy yet
  expect(machine.read('calls')).toBe(''); // nothing was stopped
}, 60_000);

/** Runs documented steps. An editor that changes nothing and an engine that only notes its arguments take the place of theirs. */
async function runSteps(name: string): Promise<void> {
  machine.write(name, adapt(name));
  const output = await machine.run(['sh', `/${name}`], { env: { EDITOR: 'editor' } });
  expect(output, name).toMatchObject({ code: 0, stderr: '' });
}
