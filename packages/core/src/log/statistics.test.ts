import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryCountedLog, countLog, nothingCounted } from '../../test/support/counted-logs.ts';
import type { CountedCase } from './counted-case.ts';
import { CaseCounter, passedOf, type Statistics } from './statistics.ts';
import { statisticsGroupings } from './statistics-grouping.ts';

const base = { id: 'c.1', toolCallId: 'c', toolName: 'run', type: 'approval', at: '2026-03-01T09:00:00.000Z' } as const;
const ann = { person: 'ann', name: 'Ann' };
const approved = (ms: number, more: Partial<CountedCase> = {}): CountedCase => ({
  ...{ ...base, result: 'approved', by: ann, ms },
  ...more,
});

function count(
  cases: readonly CountedCase[],
  by: Statistics['by'] = 'tool',
  ...others: [choice?: object, ruleOf?: (id: string) => string | undefined]
): Statistics {
  const counter = new CaseCounter(by, ...others);
  for (const each of cases) counter.add('s1', each);
  return counter.finish();
}

test('[LESS1] median and 95th percentile are times that occurred', () => {
  const cases = Array.from({ length: 100 }, (_, n) => approved((100 - n) * 1000));
  expect(count(cases).total).toMatchObject({ asked: 100, approved: 100, medianMs: 50_000, p95Ms: 95_000 });
  expect(count([approved(7)]).total).toMatchObject({ medianMs: 7, p95Ms: 7 });
  expect(count([{ ...base, result: 'open' }]).total).not.toHaveProperty('medianMs');
});

test('[LESS1] cases are grouped by what they have in common', () => {
  const cases = [
    approved(1, { rule: 'any arguments' }),
    approved(1, { at: '2026-03-02T00:00:00.000Z', by: { person: 'ann', name: 'Ann on the road' } }),
    { ...base, type: 'call', result: 'grant', grantId: 'g' } as const,
    { ...base, type: 'call', toolName: 'list', result: 'policy' } as const,
  ];
  const keysBy = (by: Statistics['by'], ruleOf?: (id: string) => string | undefined) =>
    count(cases, by, {}, ruleOf).groups.map(({ key, name, asked, ...counts }) => [
      name ?? key,
      asked,
      passedOf({ asked, ...counts }),
    ]);
  expect(keysBy('tool')).toEqual([
    ['run', 2, 1],
    ['list', 0, 1],
  ]);
  expect(keysBy('person')).toEqual([
    ['Ann on the road', 2, 0],
    [undefined, 0, 2],
  ]);
  expect(keysBy('day')).toEqual([
    ['2026-03-01', 1, 2],
    ['2026-03-02', 1, 0],
  ]);
  expect(keysBy('session')).toEqual([['s1', 2, 2]]);
  expect(keysBy('rule', (id) => (id === 'g' ? 'any arguments' : undefined))).toEqual([
    ['any arguments', 1, 1],
    [undefined, 1, 1],
  ]);
});

test('[LESS1] a choice of a tool or a person leaves out the rest', () => {
  const cases = [
    approved(1),
    approved(1, { by: { person: 'bob', name: 'Bob' } }),
    { ...base, result: 'open' } as const,
  ];
  expect(count(cases, 'tool', { person: 'bob' }).total.asked).toBe(1);
  expect(count(cases, 'tool', { person: 'Ann' }).total.asked).toBe(1);
  expect(count(cases, 'tool', { toolName: 'run' }).total.asked).toBe(3);
  expect(count(cases, 'tool', { toolName: 'list' })).toMatchObject({ total: { asked: 0 }, groups: [] });
});

test('[LESS1] what a reviewer would have let pass and a person refused is counted', () => {
  const sampled = { isSampled: true } as const;
  const cases = [
    { ...base, ...sampled, result: 'open' } as const,
    approved(1, sampled),
    approved(1, { ...sampled, result: 'denied' }),
    approved(1, { result: 'denied' }),
  ];
  expect(count(cases).total).toMatchObject({ sampled: 2, disputed: 1, denied: 2 });
});

test('[LESS1] a call that was asked about after all is counted once', () => {
  expect(count([{ ...base, type: 'call', result: 'asked' }, approved(1)]).total).toMatchObject({
    asked: 1,
    byGrant: 0,
  });
});

test('[LESS1] all groups together have as many cases as the total, whatever the order', () => {
  fc.assert(
    fc.property(arbitraryCountedLog(), fc.constantFrom(...statisticsGroupings), (log, by) => {
      const cases = [...countLog(nothingCounted, log).cases.values()];
      const { total, groups } = count(cases, by);
      const sums = Object.keys(total).filter((name) => !name.endsWith('Ms')) as (keyof typeof total)[];
      for (const name of sums) expect(groups.reduce((sum, group) => sum + (group[name] ?? 0), 0)).toBe(total[name]);
      const { asked, approved, denied, submitted, cancelled, timeout, withdrawn, open, refused } = total;
      const settled = approved + denied + submitted + cancelled + timeout + withdrawn + open;
      expect(settled + refused + passedOf(total)).toBe(cases.filter(({ result }) => result !== 'asked').length);
      expect(asked).toBeGreaterThanOrEqual(settled);
      expect(count(cases.toReversed(), by)).toEqual({ by, total, groups });
    }),
  );
});
