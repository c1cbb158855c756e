import { foldText } from '@parleyhq/core';

/** Name of the highlight for search results; elements style `::highlight(parley-found)`. */
const markName = 'parley-found';

/** Highlights the words in an element, through its shadow roots, and nowhere else; without words nothing is highlighted. */
export function markWords(element: Element | undefined, words: string): void {
  if (!('highlights' in CSS)) return;
  const wanted = foldText(words.trim());
  const ways = new Set([wanted, wanted.normalize('NFD')]);
  const ranges = element && wanted !== '' ? [...ways].flatMap((way) => findRanges(element, way)) : [];
  if (ranges.length === 0) CSS.highlights.delete(markName);
  else CSS.highlights.set(markName, new Highlight(...ranges));
}

function findRanges(node: Node, wanted: string): readonly Range[] {
  if (node instanceof Text) return rangesIn(node, wanted);
  const inside = node instanceof Element && node.shadowRoot ? node.shadowRoot.childNodes : [];
  return [...inside, ...node.childNodes].flatMap((child) => findRanges(child, wanted));
}

function rangesIn(text: Text, wanted: string): readonly Range[] {
  const ranges: Range[] = [];
  const all = text.data.toLowerCase();
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + wanted.length)) {
    if (at + wanted.length > text.length) break; // a few letters are longer in lower case
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + wanted.length);
    ranges.push(range);
  }
  return ranges;
}
