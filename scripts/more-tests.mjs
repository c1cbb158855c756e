// `npm run test:long`, `test:firefox`, `test:clients` and `test:claude-agent`: what `npm test` leaves out because it takes long, or needs programs of others. These are large, so only
// this script installs them, each once, into a folder of its own.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensure } from './ensure.mjs';
import { ensureFirefox } from './firefox.mjs';
import { runVitest } from './vitest.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const sdk = '@anthropic-ai/claude-agent-sdk'; // Claude Code is part of it
const manifest = JSON.parse(readFileSync(join(ROOT, 'plugins/claude-agent/package.json'), 'utf8'));

/** The package of each on npm, its one version, and the variable that tells tests its folder. */
const PROGRAMS = [
  { name: sdk, version: manifest.peerDependencies[sdk], variable: 'PARLEY_CLAUDE_SDK' },
  { name: '@openai/codex', version: '0.169.0', variable: 'PARLEY_CODEX' },
  { name: '@modelcontextprotocol/inspector', version: '2.12.0', variable: 'PARLEY_MCP_INSPECTOR' },
  { name: '@modelcontextprotocol/server-everything', version: '2026.8.31', variable: 'PARLEY_MCP_EVERYTHING' },
  { name: '@modelcontextprotocol/server-filesystem', version: '2026.8.31', variable: 'PARLEY_MCP_FILESYSTEM' },
];

/** The projects of vitest that only run by name, and the programs that they need. */
export const PROJECTS = {
  long: [],
  firefox: [],
  'claude-agent': PROGRAMS.filter(({ name }) => name === sdk),
  clients: PROGRAMS,
};

/** @returns the program's folder @throws Error if npm could not install it */
function install({ name, version }) {
  const folder = join(ROOT, 'node_modules/.cache/parley', `${name.split('/').at(-1)}-${version}`);
  const stamp = join(folder, 'installed');
  if (existsSync(stamp)) return folder;
  console.log(`Installing ${name} ${version} (up to 400 MB, once) …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command, ...args] = [...npm, 'install', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${version}`];
  const { status } = spawnSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${name} ${version} could not be installed, so its tests did not run.`);
  writeFileSync(stamp, '');
  return folder;
}

/** Returns how many tests of a project passed and failed; a program that cannot be installed counts as one failure, with a message. */
export async function testProject(project, args = []) {
  try {
    const chromium = await ensure({ browser: project === 'long' });
    if (chromium) process.env.CHROMIUM = chromium;
    if (project === 'firefox') process.env.FIREFOX = ensureFirefox(console.log);
    for (const program of PROJECTS[project]) process.env[program.variable] = install(program);
  } catch (error) {
    console.error(`\n✗ test:${project}: ${error.message}`);
    return { passed: 0, failed: 1 };
  }
  process.env.PARLEY_TEST_PROJECT = project;
  return runVitest(['--project', project, ...args], args.length === 0);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [project, ...args] = process.argv.slice(2);
  const { passed, failed } = await testProject(project, args);
  process.exitCode = failed > 0 ? 1 : 0;
  console.log(`${passed} passed, ${failed} failed`);
}
