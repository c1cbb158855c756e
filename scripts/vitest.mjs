// Runs vitest and counts the results.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Counts the tests in vitest's JSON report. In a full run a skipped test counts as failed. */
export function runVitest(args, isFullRun) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const tests = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(({ assertionResults }) => assertionResults)
    : [];
  rmSync(folder, { recursive: true });
  const passed = tests.filter((test) => test.status === 'passed').length;
  const failed = tests.filter((test) => test.status === 'failed').length;
  const skipped = isFullRun ? tests.filter((test) => !['passed', 'failed'].includes(test.status)) : [];
  for (const { fullName } of skipped) console.log(`✗ skipped: ${fullName}`);
  // A file that does not load, a missed coverage threshold or an unhandled rejection fails the run without failing a test.
  const other = status !== 0 && failed === 0 ? 1 : 0;
  return { passed, failed: failed + skipped.length + other };
}
