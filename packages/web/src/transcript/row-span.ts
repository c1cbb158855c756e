import type { Seq } from '@parleyhq/core';

/** The part of the transcript that is drawn, by seqs: rows come at both ends, and some come and go in between. */
export interface RowSpan {
  readonly from: Seq;
  /** The first that is not drawn; infinite while the end is. */
  readonly to: Seq;
}

interface Placed {
  readonly seq: Seq;
}

type Rows = readonly Placed[];

/** Rows drawn at once when one or the other end comes near: no more than what a task of 50 ms has time for. */
const step = 16;

/** Rows drawn at most: each costs time whenever the page is drawn, and nobody sees so many. */
export const mostRows = 120;

/** The newest rows, and those that come. */
export function spanLatest(rows: Rows, count: number): RowSpan {
  return { from: rows.at(-count)?.seq ?? 0, to: Number.POSITIVE_INFINITY };
}

/** The rows about an event. */
export function spanAround(rows: Rows, seq: Seq): RowSpan {
  const at = Math.max(
    0,
    rows.findLastIndex((row) => row.seq <= seq),
  );
  return endAt(rows, Math.max(0, at - step / 2), at + step / 2);
}

export function widenAbove(rows: Rows, span: RowSpan, count = step): RowSpan {
  const first = rows.findIndex(({ seq }) => seq >= span.from);
  return { ...span, from: rows[Math.max(0, (first < 0 ? rows.length : first) - count)]?.seq ?? 0 };
}

export function widenBelow(rows: Rows, { from, to }: RowSpan): RowSpan {
  const last = rows.findIndex(({ seq }) => seq >= to);
  return last < 0 ? { from, to: Number.POSITIVE_INFINITY } : { ...endAt(rows, 0, last + step), from };
}

/** Without what is far below. */
export function cutBelow(rows: Rows, { from, to }: RowSpan): RowSpan {
  const first = rows.findIndex(({ seq }) => seq >= from);
  return { from, to: Math.min(to, endAt(rows, first, first + mostRows).to) };
}

/** Without what is far above. */
export function cutAbove(rows: Rows, { from, to }: RowSpan): RowSpan {
  const end = rows.findIndex(({ seq }) => seq >= to);
  const first = (end < 0 ? rows.length : end) - mostRows;
  return { from: Math.max(from, rows[first]?.seq ?? 0), to };
}

function endAt(rows: Rows, first: number, last: number): RowSpan {
  return { from: rows[first]?.seq ?? 0, to: rows[last]?.seq ?? Number.POSITIVE_INFINITY };
}

export function rowsWithin<Row extends Placed>(rows: readonly Row[], { from, to }: RowSpan): readonly Row[] {
  return rows.filter(({ seq }) => seq >= from && seq < to);
}

/** Whether rows that are loaded are not drawn, above. */
export function hasAbove(rows: Rows, { from }: RowSpan): boolean {
  return rows[0] !== undefined && rows[0].seq < from;
}
