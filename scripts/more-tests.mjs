// `npm run test:long`, `test:packages`, `test:firefox`, `test:clients` and `test:claude-agent`: tests that `npm test` leaves out
// because they take long or need third-party programs. These are large, so they are installed here, each once, into a separate
// folder.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensure } from './ensure.mjs';
import { ensureFirefox } from './firefox.mjs';
import { findNewest, install, installNode } from './install.mjs';
import { report, runAgain, runVitest } from './vitest.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const sdk = '@anthropic-ai/claude-agent-sdk'; // Claude Code is part of it
const manifest = JSON.parse(readFileSync(join(ROOT, 'plugins/claude-agent/package.json'), 'utf8'));

/**
 * The npm package and version of each program, the environment variable with its folder, and the tests to run with its newest
 * version.
 */
const PROGRAMS = [
  {
    name: sdk,
    version: manifest.peerDependencies[sdk],
    variable: 'PARLEY_CLAUDE_SDK',
    tests: ['test/claude-', 'test/contract', 'test/permissions'],
  },
  { name: '@openai/codex', version: '0.171.0', variable: 'PARLEY_CODEX', tests: ['test/codex/'] },
  { name: '@modelcontextprotocol/inspector', version: '2.12.0', variable: 'PARLEY_MCP_INSPECTOR' },
  { name: '@modelcontextprotocol/conformance', version: '0.2.0-alpha.12', variable: 'PARLEY_MCP_CONFORMANCE' },
  { name: 'node', version: '24.21.0', variable: 'PARLEY_MCP_CONFORMANCE_NODE' }, // the suite needs at least Node 22
  { name: 'opencode-ai', version: '1.18.33', variable: 'PARLEY_OPENCODE' },
  { name: '@qwen-code/qwen-code', version: '0.24.4', variable: 'PARLEY_QWEN' },
  { name: '@modelcontextprotocol/server-everything', version: '2026.8.31', variable: 'PARLEY_MCP_EVERYTHING' },
  { name: '@modelcontextprotocol/server-filesystem', version: '2026.8.31', variable: 'PARLEY_MCP_FILESYSTEM' },
];

/** The linters for packages before they are published. */
const LINTERS = [
  { name: 'publint', version: '0.3.25', variable: 'PARLEY_PUBLINT' },
  { name: '@arethetypeswrong/cli', version: '0.18.5', variable: 'PARLEY_ATTW' },
];

/** The versions of Node that the packages support: the oldest one that `engines` allows, and each release line after it. */
const NODES = [
  { version: '20.19.0', variable: 'PARLEY_NODE_20' },
  { version: '22.23.3', variable: 'PARLEY_NODE_22' },
  { version: '24.21.0', variable: 'PARLEY_NODE_24' },
];

/** The projects of vitest that only run by name, and the programs that they need. */
export const PROJECTS = {
  long: [],
  packages: LINTERS,
  firefox: [],
  'claude-agent': PROGRAMS.filter(({ name }) => name === sdk),
  clients: PROGRAMS,
};

/** The projects of a turn run at the same time: other programs mostly wait, for the network and for each other. */
export const TURNS = [
  ['packages', 'claude-agent'],
  ['firefox', 'clients'],
];

/** The number of parts of the long tests. */
const PARTS = 6;

/**
 * Runs the long tests part by part, each hour beginning with another one, until the time is over; at least one part.
 *
 * @param until - in ms since 1970: no part begins after this
 * @returns the runs, and a note that says how many parts were left out
 */
export async function testLong(until, now = Date.now) {
  const runs = [];
  const first = Math.floor(now() / 3_600_000);
  for (let done = 0; done < PARTS; done += 1) {
    if (done > 0 && now() > until) {
      const note = `Left out, because the time was over: ${PARTS - done} of ${PARTS} parts of the long tests. \`npm run test:long\` runs all.`;
      return [...runs, { failures: [], notes: [note] }];
    }
    runs.push(...(await testProject('long', [], [`--shard=${((first + done) % PARTS) + 1}/${PARTS}`])));
  }
  return runs;
}

/**
 * Runs a project; a program that cannot be installed is a failure.
 *
 * @param args - files, and flags of vitest; without any it is a full run
 * @param flags - further flags of its first run
 * @returns its runs, each as {@link runVitest}
 */
export async function testProject(project, args = [], flags = []) {
  const programs = PROJECTS[project];
  const runs = [await testWith(project, programs, args, flags)];
  if (args.length > 0) return runs;
  for (const program of programs.filter(({ tests }) => tests)) {
    const version = findNewest(program.name);
    const newest = { ...program, version };
    const others = programs.map((each) => (each === program ? newest : each));
    if (version === program.version) runs.push({ failures: [], notes: [`${program.name} ${version} is the newest.`] });
    else if (version === undefined)
      runs.push({ failures: [], notes: [`The newest ${program.name} could not be looked up.`] });
    else runs.push(await testNewest(project, others, newest));
  }
  return runs;
}

/** Reports the results with a newer version, but fails nothing: its release is not a change of these sources. */
async function testNewest(project, programs, { name, version, tests }) {
  const run = await testWith(project, programs, ['--passWithNoTests', ...tests]);
  const failures = [...(run.files ?? []).flatMap((file) => file.failures), ...run.failures];
  const passed = (run.files ?? []).reduce((sum, file) => sum + file.passed, 0);
  const notes = failures.map((failure) => `With ${name} ${version}, newer than these tests: ${failure}`);
  return {
    failures: [],
    notes: [`${name} ${version}, the newest: ${passed} passed, ${failures.length} failed`, ...notes],
  };
}

async function testWith(project, programs, args, flags = []) {
  let env;
  try {
    env = await prepare(project, programs);
  } catch (error) {
    return { failures: [`test:${project}: ${error.message}`] };
  }
  const run = (...more) => runVitest(['--project', project, ...more], { isFullRun: args.length === 0, env });
  return { ...(await run(...args, ...flags)), ...(args.length === 0 && { again: run }) };
}

/** Installs what a project needs. @returns the environment variables of its run */
async function prepare(project, programs) {
  const chromium = await ensure({ browser: project === 'long' });
  return {
    PARLEY_TEST_PROJECT: project,
    ...(chromium && { CHROMIUM: chromium }),
    ...(project === 'firefox' && { FIREFOX: ensureFirefox(console.log) }),
    ...(await installAll(programs, install)),
    ...(project === 'packages' && (await installNodes())),
  };
}

/** Installs at the same time, since each waits for the network or uses one core. @returns the variables with the folders */
async function installAll(programs, install) {
  const folders = programs.map(async (program) => [program.variable, await install(program)]);
  return Object.fromEntries(await Promise.all(folders));
}

function installNodes() {
  const sqlite = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies['better-sqlite3'];
  return installAll(NODES, ({ version }) => installNode({ version, sqlite }));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [project, ...args] = process.argv.slice(2);
  process.exitCode = report(await runAgain(await testProject(project, args))) > 0 ? 1 : 0;
}
