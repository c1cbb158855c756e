// `npm test`: runs all tests and gates; its last lines say which tests were left out, and how many passed and failed. Arguments
// are passed to vitest and skip the gates; `--all` adds the tests of more-tests.mjs.
import process from 'node:process';
import { runGates } from './check.mjs';
import { ensure, ensureTestPages } from './ensure.mjs';
import { TURNS, testLong, testProject } from './more-tests.mjs';
import { report, runAgain, runVitest } from './vitest.mjs';

const started = Date.now();

/** In ms: no part of the long tests begins later than this after the start. */
const longBeginsMs = 40 * 60_000;

async function main(args) {
  process.env.CHROMIUM = await ensure({ build: true, browser: true });
  if (args.length === 1 && args[0] === '--all') return testAll();
  if (args.length > 0) return [await runVitest(args, { isFullRun: false })];
  return testUsual();
}

async function testUsual(...flagsOfUnits) {
  const units = runProject('unit', ...flagsOfUnits);
  const runs = await Promise.all([units, runGates(), ensureTestPages()]); // the journeys need the pages
  return [...runs.slice(0, 2), await runProject('journeys')];
}

/** Runs projects by turns, because tests that share a processor with too many others fail by luck. */
async function testAll() {
  const runs = await testUsual('--coverage'); // of the core only, because it slows tests down
  for (const turn of TURNS) {
    const results = await Promise.all(turn.map((project) => testProject(project)));
    runs.push(...results.flat());
  }
  return [...runs, ...(await testLong(started + longBeginsMs))];
}

async function runProject(project, ...args) {
  const run = (...more) => runVitest(['--project', project, ...more], { isFullRun: true });
  return { ...(await run(...args)), again: run };
}

const args = process.argv.slice(2);
const runs = await main(args).catch((error) => [{ failures: [error.message] }]);
const result = await runAgain(runs);
if (args.length === 0)
  console.log(
    'Left out: the long tests, and those with Firefox and third-party programs. `npm test -- --all` runs them, too.',
  );
process.exitCode = report(result) > 0 ? 1 : 0;
