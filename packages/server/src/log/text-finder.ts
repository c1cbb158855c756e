interface Node {
  /** Those that share the way to this node: all of them in a leaf, else those that end here. */
  texts: string[];
  next?: Map<number, Node>;
}

/** A leaf with more of them is split. */
const leafSize = 4;

/** So many characters of a longer text count as all of it: where somebody cut it off, the beginning is no less telling. */
const telling = 32;

/** What stands in a text's place. */
export const mark = '[redacted]';

interface Found {
  /** Length of the longest at this place; 0 where there is none. */
  readonly length: number;
  /** The text ends before it is clear whether there is a longer one. */
  readonly isOpen: boolean;
}

/** The text with marks, and what cannot be decided before more of it has come. */
export interface Scanned {
  readonly clean: string;
  readonly rest: string;
  /** So many characters at the beginning of `rest` have their mark in `clean` already. */
  readonly covered: number;
}

/** Finds any of many texts, in time proportional to the length of what is searched, however many they are. */
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

  /** With a mark for each run of found texts, overlapping ones included. */
  replace(text: string): string {
    return this.scan(text, 0, true).clean;
  }

  /**
   * @param covered - so many characters at the beginning have their mark already
   * @param isWhole - nothing follows; else what may be the beginning of one of the texts is kept back as `rest`
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

/** How far `candidate` agrees with the text from `start`; that it does so up to `from` is known. */
function countCommon(candidate: string, text: string, start: number, from: number, limit: number): number {
  const end = Math.min(candidate.length, text.length - start, limit);
  let common = from;
  while (common < end && candidate.charCodeAt(common) === text.charCodeAt(start + common)) common += 1;
  return common;
}
