/** A line of a comparison; `before` and `after` are its numbers in the two texts, from 1. */
export interface ComparedLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** Differing lines up to which the shortest comparison is sought; beyond, everything between the common ends counts as changed. */
const maxEdits = 1000;

/** Compares two texts line by line, with as few changed lines as possible. Removed lines come before added ones. */
export function compareLines(before: readonly string[], after: readonly string[]): readonly ComparedLine[] {
  const start = countSame(before, after, (lines, at) => lines[at]);
  const [oldRest, newRest] = [before.slice(start), after.slice(start)];
  const end = countSame(oldRest, newRest, (lines, at) => lines[lines.length - 1 - at]);
  const [oldLines, newLines] = [oldRest.slice(0, oldRest.length - end), newRest.slice(0, newRest.length - end)];
  const same = (line: string, at: number, offset: number): ComparedLine => ({
    kind: 'same',
    text: line,
    before: at + 1,
    after: at + 1 + offset,
  });
  return [
    ...before.slice(0, start).map((line, at) => same(line, at, 0)),
    ...compareMiddle(oldLines, newLines, start),
    ...before
      .slice(before.length - end)
      .map((line, at) => same(line, before.length - end + at, after.length - before.length)),
  ];
}

function countSame(
  before: readonly string[],
  after: readonly string[],
  at: (lines: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(before.length, after.length);
  let count = 0;
  while (count < most && at(before, count) === at(after, count)) count += 1;
  return count;
}

/** @param offset - lines before the first of both */
function compareMiddle(before: readonly string[], after: readonly string[], offset: number): ComparedLine[] {
  const pairs = findPairs(before, after);
  const lines: ComparedLine[] = [];
  let [x, y] = [0, 0];
  for (const [left, right] of [...pairs, [before.length, after.length] as const]) {
    for (; x < left; x += 1) lines.push({ kind: 'removed', text: before[x] as string, before: offset + x + 1 });
    for (; y < right; y += 1) lines.push({ kind: 'added', text: after[y] as string, after: offset + y + 1 });
    if (x === before.length && y === after.length) break;
    lines.push({ kind: 'same', text: before[x] as string, before: offset + x + 1, after: offset + y + 1 });
    [x, y] = [x + 1, y + 1];
  }
  return lines;
}

type Pair = readonly [number, number];

/** Finds the lines that both have, in order, by Myers' algorithm; none if too much differs. */
function findPairs(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const trace: ReadonlyMap<number, number>[] = [];
  let reached: ReadonlyMap<number, number> = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(before.length + after.length, maxEdits); edits += 1) {
    trace.push(reached);
    const next = new Map(reached);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepFrom(reached, diagonal, edits);
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(trace, before.length, after.length);
    }
    reached = next;
  }
  return [];
}

/** Returns how far a diagonal gets with one more edit. */
function stepFrom(reached: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const [down, right] = [reached.get(diagonal + 1) ?? -1, reached.get(diagonal - 1) ?? -1];
  return isDown(diagonal, edits, down, right) ? down : right + 1;
}

function isDown(diagonal: number, edits: number, down: number, right: number): boolean {
  return diagonal === -edits || (diagonal !== edits && right < down);
}

function walkBack(trace: readonly ReadonlyMap<number, number>[], before: number, after: number): readonly Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [before, after];
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reached = trace[edits] as ReadonlyMap<number, number>;
    const diagonal = x - y;
    const [down, right] = [reached.get(diagonal + 1) ?? -1, reached.get(diagonal - 1) ?? -1];
    const last = isDown(diagonal, edits, down, right) ? diagonal + 1 : diagonal - 1;
    const fromX = edits === 0 ? 0 : (reached.get(last) ?? 0);
    const fromY = edits === 0 ? 0 : fromX - last;
    while (x > fromX && y > fromY) {
      pairs.push([x - 1, y - 1]);
      [x, y] = [x - 1, y - 1];
    }
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}
