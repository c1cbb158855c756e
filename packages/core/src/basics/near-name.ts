/**
 * Returns the known name nearest to a misspelt one if it is near enough to suggest; else the longest that the word begins or ends
 * with.
 */
export function findNearName(word: string, names: Iterable<string>): string | undefined {
  const given = word.toLowerCase();
  let near: string | undefined;
  let least = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const name of names) {
    const distance = countEdits(given, name.toLowerCase());
    if (distance < least) [near, least] = [name, distance];
  }
  return near ?? findPart(given, names);
}

/** Finds `scopes` for `approvalScopes`. Skips short names, because too many words contain them. */
function findPart(given: string, names: Iterable<string>): string | undefined {
  const parts = [...names].filter((name) => name.length > 3 && isEnd(given, name.toLowerCase()));
  return parts.sort((a, b) => b.length - a.length)[0];
}

function isEnd(given: string, name: string): boolean {
  return given.startsWith(name) || given.endsWith(name);
}

/** Returns ` Did you mean "…"?`, or an empty text. */
export function suggestName(word: string, names: Iterable<string>): string {
  const near = findNearName(word, names);
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}

/** Returns the edit distance: letters inserted, deleted, replaced, or swapped with their neighbour. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length] ?? 0;
}
