import type { Seq } from '@parleyhq/core';

/**
 * The range of the transcript that is rendered, as seqs: rows are added at both ends, and some appear or disappear in between.
 */
export interface RowSpan {
  readonly from: Seq;
  /** Seq of the first row after the range; infinite if the range includes the end. */
  readonly to: Seq;
}

interface Placed {
  readonly seq: Seq;
}

type Rows = readonly Placed[];

/** How many rows are rendered at once when an end comes near: as many as fit into a task of 50 ms. */
const step = 16;

/** How many rows are rendered at most: each costs time in every update, and nobody sees more. */
export const mostRows = 120;

/** Returns the range of the newest rows and all that follow. */
export function spanLatest(rows: Rows, count: number): RowSpan {
  return { from: rows.at(-count)?.seq ?? 0, to: Number.POSITIVE_INFINITY };
}

/** Returns the range of the rows around an event. */
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

/** Returns the range without rows far below. */
export function cutBelow(rows: Rows, { from, to }: RowSpan): RowSpan {
  const first = rows.findIndex(({ seq }) => seq >= from);
  return { from, to: Math.min(to, endAt(rows, first, first + mostRows).to) };
}

/** Returns the range without rows far above. */
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

/** Whether loaded rows above the range are not rendered. */
export function hasAbove(rows: Rows, { from }: RowSpan): boolean {
  return rows[0] !== undefined && rows[0].seq < from;
}
