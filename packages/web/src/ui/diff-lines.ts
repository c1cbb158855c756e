import type { ComparedLine } from '@parleyhq/core';

/** A line of a diff, with its line numbers in the old and new text. */
export interface DiffLine {
  readonly kind: 'head' | 'hunk' | 'same' | 'added' | 'removed' | 'note';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** Indices of a removed line and the added line that replaced it. */
export interface DiffPair {
  readonly removed: number;
  readonly added: number;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The current line numbers within a hunk, and how many lines of each text are left in it. */
interface Place {
  before: number;
  after: number;
  beforeLeft: number;
  afterLeft: number;
}

/** Splits a unified diff into its lines, unchanged. Lines below a hunk header get numbers. */
export function readDiff(text: string): readonly DiffLine[] {
  const place: Place = { before: 0, after: 0, beforeLeft: 0, afterLeft: 0 };
  return text.split('\n').map((line) => readLine(line, place));
}

function readLine(text: string, place: Place): DiffLine {
  const isInside = place.beforeLeft > 0 || place.afterLeft > 0;
  if (text.startsWith('@@')) {
    // even if the counts of the hunk before it were too high: its lines have a sign
    const [, before = 0, beforeLeft = 1, after = 0, afterLeft = 1] = hunkHead.exec(text) ?? ['', 0, 0, 0, 0];
    Object.assign(place, { before: +before, beforeLeft: +beforeLeft, after: +after, afterLeft: +afterLeft });
    return { kind: 'hunk', text };
  }
  if (!isInside && /^(---|\+\+\+) /.test(text)) return { kind: 'head', text };
  if (text.startsWith('\\')) return { kind: 'note', text };
  const kind = text.startsWith('+') ? 'added' : text.startsWith('-') ? 'removed' : 'same';
  const { before, after } = place;
  const isBefore = kind !== 'added' && place.beforeLeft > 0;
  const isAfter = kind !== 'removed' && place.afterLeft > 0;
  if (isBefore) Object.assign(place, { before: before + 1, beforeLeft: place.beforeLeft - 1 });
  if (isAfter) Object.assign(place, { after: after + 1, afterLeft: place.afterLeft - 1 });
  return { kind, text, ...(isBefore && { before }), ...(isAfter && { after }) };
}

/** A file of a diff: what its two head lines say, and how many lines are added and removed. */
export interface DiffFile {
  /** Index of the first of its two head lines. */
  readonly at: number;
  /** Its path; both if they differ. */
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

/** Returns the files whose heads are whole. */
export function findFiles(lines: readonly DiffLine[]): readonly DiffFile[] {
  const starts = lines.flatMap((line, at) => {
    const path = nameFile(line, lines[at + 1]);
    return path === undefined ? [] : [{ at, path }];
  });
  return starts.map(({ at, path }, n) => {
    const own = lines.slice(at, starts[n + 1]?.at);
    const count = (kind: DiffLine['kind']) => own.filter((line) => line.kind === kind).length;
    return { at, path, added: count('added'), removed: count('removed') };
  });
}

function nameFile(first: DiffLine, second: DiffLine | undefined): string | undefined {
  if (first.kind !== 'head' || second?.kind !== 'head') return undefined;
  if (!first.text.startsWith('---') || !second.text.startsWith('+++')) return undefined;
  const [before, after] = [first.text.slice(4), second.text.slice(4)];
  const isNamedByGit = before.startsWith('a/') && after.startsWith('b/') && before.slice(2) === after.slice(2);
  if (isNamedByGit || before === after) return isNamedByGit ? after.slice(2) : after;
  return `${before} → ${after}`;
}

/** Pairs the lines of a removed run with those of the added run right after it, one by one. */
export function findPairs(lines: readonly DiffLine[]): readonly DiffPair[] {
  const pairs: DiffPair[] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = countRun(lines, at, 'removed');
    const added = countRun(lines, at + removed, 'added');
    for (let n = 0; n < Math.min(removed, added); n += 1) pairs.push({ removed: at + n, added: at + removed + n });
    at += Math.max(1, removed + added);
  }
  return pairs;
}

function countRun(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let to = from;
  while (lines[to]?.kind === kind) to += 1;
  return to - from;
}

/** How many lines of a comparison are shown. */
const most = 2000;

/** How many unchanged lines are shown before and after a change. */
const context = 3;

const signs = { same: ' ', removed: '-', added: '+' } as const;

/** Returns the changed lines of a comparison as those of a diff, with the lines around them; notes replace the others. */
export function showChanges(compared: readonly ComparedLine[]): readonly DiffLine[] {
  const isNear = compared.map(() => false);
  for (const [at, { kind }] of compared.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - context), at + context + 1);
  const lines: DiffLine[] = [];
  for (let at = 0; at < compared.length; at += 1) {
    if (lines.length >= most)
      return [...lines, { kind: 'note', text: `${compared.length - at} more lines are not compared here` }];
    const line = compared[at] as ComparedLine;
    if (isNear[at]) {
      lines.push({ ...line, text: `${signs[line.kind]}${line.text}` });
      continue;
    }
    const next = isNear.indexOf(true, at);
    const count = (next === -1 ? compared.length : next) - at;
    lines.push({ kind: 'hunk', text: count === 1 ? '1 line unchanged' : `${count} lines unchanged` });
    at += count - 1;
  }
  return lines;
}
