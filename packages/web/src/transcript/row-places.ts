import type { RowSpan } from './row-span.ts';

/** A row and where it was in the view. */
export interface Anchor {
  readonly row: Element;
  readonly top: number;
}

/** The first row in view: where it is now. */
export function findAnchor(root: ParentNode, scroller: Element | null): Anchor | undefined {
  const top = scroller?.getBoundingClientRect().top ?? 0;
  const row = [...root.querySelectorAll('.row')].find((each) => each.getBoundingClientRect().bottom > top);
  return row && { row, top: row.getBoundingClientRect().top };
}

/** Whether the rows beyond a span can go: they are so far from the view that they do not come back at once, and nobody is in them. */
export function isFree(root: ParentNode, scroller: Element | null, { from, to }: RowSpan): boolean {
  const view = scroller?.getBoundingClientRect();
  if (!view) return false;
  const isNear = ({ top, bottom }: DOMRect) =>
    top < view.bottom + 2 * view.height && bottom > view.top - 2 * view.height;
  return [...root.querySelectorAll<HTMLElement>('.row')]
    .filter(({ dataset }) => Number(dataset.seq) < from || Number(dataset.seq) >= to)
    .every((row) => !isNear(row.getBoundingClientRect()) && !row.matches(':focus-within'));
}

/** Whether all that is drawn is in view. */
export function isWhole(scroller: Element | null): boolean {
  const { scrollHeight = 0, clientHeight = 0 } = scroller ?? {};
  return clientHeight > 0 && scrollHeight <= clientHeight;
}

/** The scroll position of the end, in px; for a last prompt that is taller than the view, that of its beginning. */
export function findEnd(root: ParentNode, scroller: Element | null, hasPrompt: boolean): number {
  const { scrollHeight = 0, clientHeight = 0 } = scroller ?? {};
  const last = root.querySelector<HTMLElement>('.row:last-of-type');
  const isHigh = hasPrompt && last !== null && last.offsetHeight > clientHeight;
  return isHigh ? last.offsetTop : scrollHeight - clientHeight;
}
