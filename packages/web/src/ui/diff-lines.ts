/** A line of a diff, with its place in the old text and in the new one. */
export interface DiffLine {
  readonly kind: 'head' | 'hunk' | 'same' | 'added' | 'removed' | 'note';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/** Lines that two texts would have before anybody compared their words. */
export interface DiffPair {
  readonly removed: number;
  readonly added: number;
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Where a hunk has come to, and how many lines of each text it still has. */
interface Place {
  before: number;
  after: number;
  beforeLeft: number;
  afterLeft: number;
}

/** The lines of a unified diff, each as it stands; they have numbers below a head that says where they are. */
export function readDiff(text: string): readonly DiffLine[] {
  const place: Place = { before: 0, after: 0, beforeLeft: 0, afterLeft: 0 };
  return text.split('\n').map((line) => readLine(line, place));
}

function readLine(text: string, place: Place): DiffLine {
  const isInside = place.beforeLeft > 0 || place.afterLeft > 0;
  if (!isInside && text.startsWith('@@')) {
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

/** Lines that took each other's place: those removed and those added right after them, one by one. */
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
