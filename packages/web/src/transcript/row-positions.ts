import type { RowSpan } from './row-span.ts';

/** A row and its position in the view. */
export interface Anchor {
  readonly row: Element;
  readonly top: number;
}

/** Returns the first row in view and its position. */
export function findAnchor(root: ParentNode, scroller: Element | null): Anchor | undefined {
  const top = scroller?.getBoundingClientRect().top ?? 0;
  const row = [...root.querySelectorAll('.row')].find((each) => each.getBoundingClientRect().bottom > top);
  return row && { row, top: row.getBoundingClientRect().top };
}

/**
 * Whether the rows outside of a span can be removed: they are far from the view, so that they will not soon come back, and none
 * of them has the focus.
 */
export function isFree(root: ParentNode, scroller: Element | null, { from, to }: RowSpan): boolean {
  const view = scroller?.getBoundingClientRect();
  if (!view) return false;
  const isNear = ({ top, bottom }: DOMRect) =>
    top < view.bottom + 2 * view.height && bottom > view.top - 2 * view.height;
  return [...root.querySelectorAll<HTMLElement>('.row')]
    .filter(({ dataset }) => Number(dataset.seq) < from || Number(dataset.seq) >= to)
    .every((row) => !isNear(row.getBoundingClientRect()) && !row.matches(':focus-within'));
}

/** Whether everything rendered is in view. */
export function isWhole(scroller: Element | null): boolean {
  const { scrollHeight = 0, clientHeight = 0 } = scroller ?? {};
  return clientHeight > 0 && scrollHeight <= clientHeight;
}

/** Returns the scroll position of the end, in px; if the last row is a prompt taller than the view, that of its start. */
export function findEnd(root: ParentNode, scroller: Element | null, hasPrompt: boolean): number {
  const { scrollHeight = 0, clientHeight = 0 } = scroller ?? {};
  const last = root.querySelector<HTMLElement>('.row:last-of-type');
  const isHigh = hasPrompt && last !== null && last.offsetHeight > clientHeight;
  return isHigh ? last.offsetTop : scrollHeight - clientHeight;
}
