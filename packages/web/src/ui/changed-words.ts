import { diffWordsWithSpace } from 'diff';

/** A part of a line, and whether the other line has something else there. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

/** Lines longer than this are compared as wholes. */
const maxLength = 2000;

/** Splits two lines into parts by the words that differ; undefined if they have hardly anything in common. */
export function compareWords(before: string, after: string): readonly [readonly Piece[], readonly Piece[]] | undefined {
  if (before.length > maxLength || after.length > maxLength) return undefined;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: 200 });
  if (!changes) return undefined;
  const kept = changes.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.trim().length),
    0,
  );
  if (kept * 3 < Math.max(before.trim().length, after.trim().length)) return undefined;
  const pieces = (other: 'added' | 'removed') =>
    changes.flatMap((change) =>
      change[other] ? [] : [{ text: change.value, isChanged: change.added || change.removed }],
    );
  return [pieces('added'), pieces('removed')];
}
