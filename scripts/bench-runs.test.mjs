import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compareRuns, findDeclines, recordRun } from '../bench/report/recorded.ts';

const cost = (value) => new Map([['W1, CPU', { value, goal: { atMost: 2 } }]]);
const rate = (value) => new Map([['W6, rate', { value, goal: { atLeast: 0.5 } }]]);

test.each([
  ['a cost within what the runs differ by', [{ 'W1, CPU': 3 }, { 'W1, CPU': 4 }], cost(4.9), false],
  ['a cost beyond it', [{ 'W1, CPU': 3 }, { 'W1, CPU': 4 }], cost(5.1), true],
  ['a lower cost', [{ 'W1, CPU': 3 }], cost(1), false],
  ['a rate within a tenth of a single run', [{ 'W6, rate': 0.5 }], rate(0.46), false],
  ['a lower rate', [{ 'W6, rate': 0.5 }], rate(0.44), true],
  ['a figure that is new', [{ 'W6, rate': 0.5 }], cost(9), false],
])('the benchmark takes %s for what it is', (_, runs, figures, isWorse) => {
  expect(compareRuns(runs, figures)).toHaveLength(isWorse ? 1 : 0);
});

test('the benchmark compares a run only with recorded ones of the same machine', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'parley-bench-')), 'runs.json');
  expect(() => findDeclines(path, cost(1))).toThrow('has no runs');
  expect([recordRun(path, cost(2)), recordRun(path, cost(2.2))]).toEqual([1, 2]);
  expect(findDeclines(path, cost(2.3))).toEqual([]);
  expect(findDeclines(path, cost(3))).toEqual([{ name: 'W1, CPU', value: 3, best: 2, worst: 2.2, runs: 2 }]);
  writeFileSync(path, JSON.stringify({ machine: 'another', runs: [{ 'W1, CPU': 2 }] }));
  expect(() => findDeclines(path, cost(3))).toThrow('another machine');
});
