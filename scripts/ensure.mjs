// Prepares a checkout: dependencies, build, browser. Imports nothing but Node's modules, because it runs before `npm ci`.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureChromium, ensureHeadlessShell } from './chromium.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const TSC = 'node_modules/typescript/bin/tsc';
const VITE = 'node_modules/vite/bin/vite.js';
const COMMON = ['package-lock.json', 'tsconfig.base.json'];
const PLUGINS = [
  'acp',
  'anthropic',
  'ask-user',
  'claude-agent',
  'claude-code',
  'codex',
  'forms',
  'mcp',
  'notifiers',
  'postgres',
  'reviewers',
  'shell',
].map((name) => `plugins/${name}`);
const LIBRARIES = ['core', 'claude-tools', 'client', 'runtime', 'testkit', 'store-kit', 'door-kit', 'server']
  .map((name) => `packages/${name}`)
  .concat(PLUGINS);
const PAGE = ['packages/web', 'packages/client', 'packages/core', 'packages/claude-tools'];

/** The builds, with their inputs and some of their output files, and the build that has to be done before. */
const BUILDS = [
  {
    name: 'libraries',
    label: 'Compiling',
    inputs: [...LIBRARIES, 'tsconfig.json', ...COMMON],
    outputs: LIBRARIES.map((library) => `${library}/dist/index.js`),
    command: [TSC, '-b'],
  },
  {
    name: 'command',
    label: 'Bundling the command',
    inputs: [...LIBRARIES, 'packages/cli', ...COMMON],
    cwd: 'packages/cli',
    outputs: ['packages/cli/dist/main.js'],
    command: [VITE, 'build', '--logLevel', 'warn'],
  },
  {
    name: 'web',
    label: 'Building the web app',
    inputs: [...PAGE, ...COMMON],
    cwd: 'packages/web',
    outputs: ['packages/web/dist/index.html'],
    command: [VITE, 'build', '--logLevel', 'warn'],
  },
  {
    name: 'elements',
    after: 'web', // its output is inside the output folder of the app, which the app's build empties
    label: 'Building the elements for other pages',
    inputs: [...PAGE, ...COMMON],
    cwd: 'packages/web',
    outputs: ['packages/web/dist/elements/index.js'],
    command: [VITE, 'build', '--mode', 'elements', '--logLevel', 'warn'],
  },
];

/** The pages for tests without a server. */
const TEST_PAGES = {
  name: 'test-pages',
  label: 'Building the pages of the tests',
  inputs: [...PAGE, 'packages/web/test', ...COMMON],
  outputs: ['gallery/test/gallery.html', 'page/test/gallery/page.html'].map((page) => `packages/web/test/dist/${page}`),
  command: ['packages/web/test/build-pages.mjs'],
};

const say = (text) => console.log(text);

export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(`Parley needs Node 20.19 or newer; this is Node ${version}.`);
}

/** Runs `npm ci` unless node_modules matches the lock file and was built for this version of Node. */
export async function ensureDependencies(root = ROOT) {
  const wanted = `${hash([join(root, 'package-lock.json')])} ${process.platform}-${process.arch} abi-${process.versions.modules}`;
  const stamp = join(root, 'node_modules/.cache/parley/dependencies');
  const known = readStamp(stamp);
  if (known === wanted) return;
  const isOtherNode = known !== undefined && known.split(' abi-')[1] !== process.versions.modules;
  if (isOtherNode || !isInstalled(root)) {
    say(
      'Installing dependencies (takes one to three minutes the first time, because SQLite may have to be compiled) …',
    );
    await installDependencies(root);
  }
  writeStamp(stamp, wanted);
}

/** npm stores a copy of the lock file after an installation, so an `npm install` by hand is recognised, too. */
function isInstalled(root) {
  const hidden = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(hidden)) return false;
  const present = readJson(hidden).packages;
  const wanted = Object.entries(readJson(join(root, 'package-lock.json')).packages);
  return wanted.every(([path, { version, optional, link }]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
    return present[path] ? link || present[path].version === version : Boolean(optional);
  });
}

async function installDependencies(root) {
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command, ...args] = [...npm, 'ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const started = Date.now();
  const heart = setInterval(() => say(`  … still installing (${Math.round((Date.now() - started) / 1000)} s)`), 20_000);
  const { code, output } = await run(command, args, root);
  clearInterval(heart);
  if (code === 0) return;
  const missing = ['python3', 'make', 'g++'].filter((tool) => spawnSync(tool, ['--version']).error);
  const hint = `SQLite has to be compiled on this machine, but ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing.
On Debian or Ubuntu: apt-get install -y python3 make g++   On macOS: xcode-select --install`;
  throw new Error(`npm ci failed.\n${shorten(output)}${missing.length > 0 ? `\n${hint}` : ''}`);
}

/** Shortens output to its beginning and end, where npm and node-gyp print the reason of a failure. */
function shorten(output) {
  const lines = output.trim().split('\n');
  return lines.length <= 40 ? lines.join('\n') : [...lines.slice(0, 15), '…', ...lines.slice(-25)].join('\n');
}

/** Builds the pages for tests without a server. */
export const ensureTestPages = () => ensureBuild(ROOT, [TEST_PAGES]);

/** Runs the builds whose inputs have changed, at the same time. If nothing has changed, this only hashes the inputs. */
export async function ensureBuild(root = ROOT, builds = BUILDS) {
  const done = new Map();
  for (const build of builds)
    done.set(
      build.name,
      Promise.resolve(done.get(build.after)).then(() => ensureOneBuild(root, build)),
    );
  const failed = (await Promise.allSettled(done.values())).find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
}

async function ensureOneBuild(root, { name, label, inputs, cwd = '.', outputs, command }) {
  const stamp = join(root, 'node_modules/.cache/parley', name);
  const wanted = hash(inputs.flatMap((input) => listFiles(join(root, input))));
  if (readStamp(stamp) === wanted && outputs.every((output) => existsSync(join(root, output)))) return;
  rmSync(stamp, { force: true }); // an interrupted build leaves incomplete output
  const [script, ...args] = command;
  say(`${label} …`);
  const { code, output } = await run(process.execPath, [join(root, script), ...args], join(root, cwd));
  if (code !== 0) throw new Error(`${label} failed.\n${output}`);
  writeStamp(stamp, wanted);
}

function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject).on('close', (code) => resolve({ code, output }));
  });
}

function listFiles(path) {
  if (!existsSync(path)) return [];
  const entries = path.includes('.json') ? undefined : readdirSync(path, { withFileTypes: true });
  if (!entries) return [path];
  return entries
    .filter(({ name }) => !['dist', 'test', 'pictures', 'node_modules'].includes(name) && !name.includes('.test.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(path, entry.name)) : [join(path, entry.name)]));
}

function hash(files) {
  const sum = createHash('sha256');
  for (const file of files) sum.update(`${file}\0`).update(readFileSync(file));
  return sum.digest('hex');
}

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const readStamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

function writeStamp(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Ensures everything requested, in order. @returns the path of Chromium if it was requested */
export async function ensure({ build = false, browser = false } = {}) {
  checkNode();
  await ensureDependencies();
  if (build) await ensureBuild();
  if (!browser) return undefined;
  const chromium = ensureChromium(say);
  ensureHeadlessShell(say);
  return chromium;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const wants = { build: process.argv.includes('--build'), browser: process.argv.includes('--browser') };
  await ensure(wants).catch((error) => {
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  });
}
