// Runs vitest, repeats failed files, and counts the results.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** The maximum number of flaky files in a run that passes. */
const MOST_FLAKY = 3;
/** If more files than this fail, they are not flaky, and are not run again. */
const MOST_AGAIN = 10;

/**
 * Runs vitest, with these environment variables in addition. In a full run a skipped test counts as failed.
 *
 * @returns the result of each file, from its JSON report, and other failures of the run
 */
export async function runVitest(args, { isFullRun, root = ROOT, output = 'inherit', env = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const [status] = await once(
    spawn(process.execPath, [VITEST, 'run', `--root=${root}`, ...reporters, ...args], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    }),
    'close',
  );
  const results = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [];
  rmSync(folder, { recursive: true });
  const files = results.map((result) => toFile(result, isFullRun, root));
  // A missed coverage threshold or an unhandled rejection fails the run without failing a test.
  const isExplained = status === 0 || files.some(({ failures }) => failures.length > 0);
  return { files, failures: isExplained ? [] : [`vitest ended with ${status}`] };
}

function toFile({ name, message, assertionResults }, isFullRun, root) {
  const file = relative(root, name);
  const tests = [
    ...assertionResults,
    ...(message ? [{ status: 'failed', fullName: '', failureMessages: [message] }] : []), // a file that does not load has no tests
  ];
  const isFailure = ({ status }) => status === 'failed' || (isFullRun && status !== 'passed');
  const first = tests.filter(({ status }) => status === 'failed');
  const others = tests.filter((test) => isFailure(test) && !first.includes(test));
  return {
    file,
    passed: tests.filter(({ status }) => status === 'passed').length,
    failures: [...first, ...others].map((test) => describe(file, test)),
  };
}

function describe(file, { status, fullName, failureMessages = [] }) {
  return [
    `${file} ${fullName || '(the whole file)'}: ${status}`,
    ...failureMessages.map((message) => message.slice(0, 600)),
  ].join('\n');
}

/**
 * Runs each failed file once more, alone. If it passes then, it is flaky.
 *
 * @param runs - each with `again(file)`, which runs one of its files like {@link runVitest}; runs without files are not tests
 * @returns the runs with their final results, and the first failure of each flaky file
 */
export async function runAgain(runs) {
  const failed = runs.flatMap(({ files = [] }) => files).filter(({ failures }) => failures.length > 0);
  if (failed.length > MOST_AGAIN) return { runs, flaky: [] };
  const flaky = [];
  for (const { files = [], again } of runs)
    for (const [index, { file, failures }] of files.entries()) {
      if (failures.length === 0 || !again) continue;
      console.log(`\nOnce more, alone: ${file}`);
      const run = await again(file);
      const second = run.files.find((other) => other.file === file);
      if (!second || second.failures.length > 0 || run.failures.length > 0) continue;
      files[index] = second;
      flaky.push(failures[0]);
    }
  return { runs, flaky };
}

/** Prints failures, flaky files, and the numbers of passed and failed tests. @returns the number of failures */
export function report({ runs, flaky }) {
  const all = runs.flatMap(({ files = [], failures }) => [...files.flatMap((file) => file.failures), ...failures]);
  if (flaky.length > MOST_FLAKY) all.push(`${flaky.length} files are flaky: at most ${MOST_FLAKY} may be`);
  const passed = runs.reduce(
    (sum, { files = [], passed = 0 }) => files.reduce((some, file) => some + file.passed, sum + passed),
    0,
  );
  for (const note of runs.flatMap(({ notes = [] }) => notes)) console.log(note);
  for (const first of flaky) console.log(`Flaky, passed when it was run again: ${first}`);
  for (const failure of all) console.log(`✗ ${failure}`); // repeated at the end of the output, where people look first
  console.log(`${passed} passed, ${all.length} failed`);
  return all.length;
}
