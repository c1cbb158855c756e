// Runs vitest and counts the results.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Counts the tests in vitest's JSON report, and names those that failed. In a full run a skipped test counts as failed. */
export function runVitest(args, isFullRun) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const files = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : [];
  rmSync(folder, { recursive: true });
  const tests = files.flatMap(({ name, message, assertionResults }) => [
    ...assertionResults.map((test) => ({ ...test, file: relative(ROOT, name) })),
    // A file that does not load has no tests.
    ...(message ? [{ status: 'failed', file: relative(ROOT, name), fullName: '', failureMessages: [message] }] : []),
  ]);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failed = tests.filter(({ status }) => status === 'failed');
  const skipped = isFullRun ? tests.filter(({ status }) => !['passed', 'failed'].includes(status)) : [];
  // A missed coverage threshold or an unhandled rejection fails the run without failing a test.
  const other = status !== 0 && failed.length === 0 ? [`vitest ended with ${status}`] : [];
  return {
    passed,
    failed: failed.length + skipped.length + other.length,
    failures: [...failed.map(describe), ...skipped.map(describe), ...other],
  };
}

function describe({ status, file, fullName, failureMessages = [] }) {
  return [
    `${file} ${fullName || '(the whole file)'}: ${status}`,
    ...failureMessages.map((message) => message.slice(0, 600)),
  ].join('\n');
}
