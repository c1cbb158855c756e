import { expect, test } from 'vitest';
import {
  cutAbove,
  cutBelow,
  hasAbove,
  mostRows,
  type RowSpan,
  rowsWithin,
  spanAround,
  spanLatest,
  widenAbove,
  widenBelow,
} from './row-span.ts';

const makeRows = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => ({ seq: 2 * (from + n) }));
const rows = makeRows(1, 201);
const drawn = (span: RowSpan, of = rows) => {
  const within = rowsWithin(of, span);
  return [within[0]?.seq, within.at(-1)?.seq, within.length];
};

test('[RPL4] the newest rows are rendered, and those that follow', () => {
  const span = spanLatest(rows, 30);
  expect(drawn(span)).toEqual([342, 400, 30]);
  expect(drawn(span, makeRows(1, 211))).toEqual([342, 420, 40]);
  expect(drawn(spanLatest(rows, 1000))).toEqual([2, 400, 200]);
  expect(drawn(spanLatest([], 30))).toEqual([2, 400, 200]);
});

test('[RPL4] rows above are added a few at a time, up to those of a page that was just loaded', () => {
  const span = widenAbove(rows, spanLatest(rows, 30));
  expect(drawn(span)).toEqual([310, 400, 46]);
  expect(hasAbove(rows, span)).toBe(true);
  let all = span;
  while (hasAbove(rows, all)) all = widenAbove(rows, all);
  expect(drawn(all)).toEqual([2, 400, 200]);
  expect(drawn(widenAbove(rows, { from: 999, to: Number.POSITIVE_INFINITY }))).toEqual([370, 400, 16]);
});

test('[RPL4] rows around a wanted event are rendered, and from there on to the end', () => {
  const span = spanAround(rows, 101);
  expect(drawn(span)).toEqual([84, 114, 16]);
  expect(drawn(widenBelow(rows, span))).toEqual([84, 146, 32]);
  let all = span;
  for (let n = 0; n < 30; n += 1) all = widenBelow(rows, all);
  expect(all.to).toBe(Number.POSITIVE_INFINITY);
  expect(drawn(spanAround(rows, 1))).toEqual([2, 16, 8]);
});

test('[RPL4] of a long log only a limited number of rows is rendered at any position, and every row can be', () => {
  const long = makeRows(1, 1001);
  const seen = new Set<number>();
  const look = (span: RowSpan) => {
    const within = rowsWithin(long, span);
    expect(within.length).toBeLessThanOrEqual(mostRows);
    for (const { seq } of within) seen.add(seq);
    return span;
  };
  let span = look(spanLatest(long, 30));
  while (hasAbove(long, span)) span = look(cutBelow(long, widenAbove(long, span)));
  expect(seen.size).toBe(1000);
  expect(span.to).toBe(2 * (mostRows + 1));
  while (span.to !== Number.POSITIVE_INFINITY) span = look(cutAbove(long, widenBelow(long, span)));
  expect(drawn(span, long)[1]).toBe(2000);
});
