import { expect, test } from 'vitest';
import { hasAbove, type RowSpan, rowsWithin, spanAround, spanLatest, widenAbove, widenBelow } from './row-span.ts';

const makeRows = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => ({ seq: 2 * (from + n) }));
const rows = makeRows(1, 201);
const drawn = (span: RowSpan, of = rows) => {
  const within = rowsWithin(of, span);
  return [within[0]?.seq, within.at(-1)?.seq, within.length];
};

test('[RPL4] the newest rows are drawn, and those that come after them', () => {
  const span = spanLatest(rows, 30);
  expect(drawn(span)).toEqual([342, 400, 30]);
  expect(drawn(span, makeRows(1, 211))).toEqual([342, 420, 40]);
  expect(drawn(spanLatest(rows, 1000))).toEqual([2, 400, 200]);
  expect(drawn(spanLatest([], 30))).toEqual([2, 400, 200]);
});

test('[RPL4] above, rows are added some at a time, down to those of a page that was just loaded', () => {
  const span = widenAbove(rows, spanLatest(rows, 30));
  expect(drawn(span)).toEqual([262, 400, 70]);
  expect(hasAbove(rows, span)).toBe(true);
  let all = span;
  while (hasAbove(rows, all)) all = widenAbove(rows, all);
  expect(drawn(all)).toEqual([2, 400, 200]);
  expect(drawn(widenAbove(rows, { from: 999, to: Number.POSITIVE_INFINITY }))).toEqual([322, 400, 40]);
});

test('[RPL4] about an event that somebody looks for, and on from there to the end', () => {
  const span = spanAround(rows, 101);
  expect(drawn(span)).toEqual([60, 138, 40]);
  expect(drawn(widenBelow(rows, span))).toEqual([60, 218, 80]);
  let all = span;
  for (let n = 0; n < 10; n += 1) all = widenBelow(rows, all);
  expect(all.to).toBe(Number.POSITIVE_INFINITY);
  expect(drawn(spanAround(rows, 1))).toEqual([2, 40, 20]);
});
