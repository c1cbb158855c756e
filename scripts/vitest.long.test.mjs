import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { report, runAgain, runVitest } from './vitest.mjs';

/** Returns a test file with these outcomes: the first time it runs, and from then on. */
const fileOf = (...outcomes) => `
  import { existsSync, writeFileSync } from 'node:fs';
  const mark = import.meta.url.slice('file://'.length) + '.ran';
  const outcomes = ${JSON.stringify(outcomes)};
  const isFirst = !existsSync(mark);
  writeFileSync(mark, '');
  test('luck', () => { if (!outcomes[isFirst ? 0 : 1]) throw new Error('bad luck'); });
  test('none is needed', () => {});
`;

const gates = { passed: 1, failures: [] };

async function runFiles(files) {
  const root = mkdtempSync(join(tmpdir(), 'parley-luck-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, `${name}.test.mjs`), text);
  const run = (...args) => runVitest(['--globals', ...args], { isFullRun: true, root, output: 'ignore' });
  const said = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line) => said.push(line));
  try {
    const failed = report(await runAgain([{ ...(await run()), again: run }, gates]));
    return { failed, said: said.filter((line) => !line.startsWith('\nOnce more')) };
  } finally {
    log.mockRestore();
  }
}

test('[OPS1] a file that passes when it is run again is named as flaky, and the run passes', async () => {
  const { failed, said } = await runFiles({ lucky: fileOf(false, true), sound: fileOf(true, true) });
  expect(failed).toBe(0);
  const first = expect.stringMatching(/^Flaky, .*: lucky.test.mjs luck: failed\nError: bad luck/);
  expect(said).toEqual([first, '5 passed, 0 failed']);
});

test('[OPS1] a file that fails twice has failed, and so has a run with too many flaky files', async () => {
  const { failed, said } = await runFiles({ broken: fileOf(false, false), sound: fileOf(true, true) });
  expect(failed).toBe(1);
  const named = expect.stringMatching(/^✗ broken.test.mjs luck: failed\nError: bad luck/);
  expect(said).toEqual([named, '4 passed, 1 failed']);
  const names = ['one', 'two', 'three', 'four'];
  const many = await runFiles(Object.fromEntries(names.map((name) => [name, fileOf(false, true)])));
  expect(many.failed).toBe(1);
  expect(many.said.slice(-2)).toEqual(['✗ 4 files are flaky: at most 3 may be', '9 passed, 1 failed']);
});
