interface Node {
  /** Texts with this prefix: all of them in a leaf, otherwise those that end here. */
  texts: string[];
  next?: Map<number, Node>;
}

/** A leaf with more texts is split. */
const leafSize = 4;

/** A prefix of this length counts as the whole text, because a truncated secret reveals as much. */
const telling = 32;

/** Replacement of a found text. */
export const mark = '[redacted]';

interface Found {
  /** Length of the longest text found at this position; 0 if there is none. */
  readonly length: number;
  /** Whether the input ends before it is clear that there is no longer one. */
  readonly isOpen: boolean;
}

/** The text with marks, and the rest that cannot be decided until more has arrived. */
export interface Scanned {
  readonly clean: string;
  readonly rest: string;
  /** Number of characters at the beginning of `rest` whose mark is already in `clean`. */
  readonly covered: number;
}

/** Finds any of many texts, in time proportional to the length of the input, however many texts there are. */
export class TextFinder {
  readonly #root: Node = { texts: [] };

  add(text: string): void {
    let node = this.#root;
    let depth = 0;
    for (; node.next && depth < text.length; depth += 1) node = childOf(node.next, text.charCodeAt(depth));
    if (node.texts.includes(text)) return;
    node.texts.push(text);
    if (node.next || node.texts.length <= leafSize || depth >= telling) return;
    const next = new Map<number, Node>();
    for (const long of node.texts.filter(({ length }) => length > depth))
      childOf(next, long.charCodeAt(depth)).texts.push(long);
    node.texts = node.texts.filter(({ length }) => length <= depth);
    node.next = next;
  }

  /** Replaces each run of found texts, overlapping ones included, by a mark. */
  replace(text: string): string {
    return this.scan(text, 0, true).clean;
  }

  /**
   * Replaces found texts in a chunk.
   * @param covered - number of characters at the beginning whose mark was already written
   * @param isWhole - whether nothing follows; otherwise a possible beginning of a text is held back as `rest`
   */
  scan(text: string, covered: number, isWhole: boolean): Scanned {
    let clean = '';
    let end = covered;
    for (let at = 0, shown = covered; ; at += 1) {
      if (at >= text.length) return { clean: clean + text.slice(shown), rest: '', covered: 0 };
      const { length, isOpen } = this.#match(text, at, at < end ? telling : text.length);
      if (isOpen && !isWhole) {
        if (at > shown) clean += text.slice(shown, at);
        return { clean, rest: text.slice(at), covered: Math.max(0, end - at) };
      }
      if (at + length <= end || length === 0) continue;
      if (at >= end) clean += text.slice(shown, at) + mark;
      end = at + length;
      shown = end;
    }
  }

  #match(text: string, start: number, limit: number): Found {
    let node: Node | undefined = this.#root;
    let length = 0;
    let isOpen = false;
    for (let depth = 0; node; depth += 1) {
      for (const candidate of node.texts) {
        const common = countCommon(candidate, text, start, depth, limit);
        if (common === candidate.length || common >= telling) length = Math.max(length, common);
        if (common < candidate.length && start + common === text.length) isOpen = true;
      }
      if (!node.next) break;
      if (start + depth === text.length) return { length, isOpen: true };
      node = node.next.get(text.charCodeAt(start + depth));
    }
    return { length, isOpen };
  }
}

function childOf(next: Map<number, Node>, unit: number): Node {
  const known = next.get(unit);
  if (known) return known;
  const child: Node = { texts: [] };
  next.set(unit, child);
  return child;
}

/** Counts how many characters `candidate` shares with the text from `start` on; the first `from` are known to match. */
function countCommon(candidate: string, text: string, start: number, from: number, limit: number): number {
  const end = Math.min(candidate.length, text.length - start, limit);
  let common = from;
  while (common < end && candidate.charCodeAt(common) === text.charCodeAt(start + common)) common += 1;
  return common;
}
