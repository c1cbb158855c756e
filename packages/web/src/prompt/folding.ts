/**
 * Animates an element from its former height, in px; returns undefined if reduced motion is preferred. The first frame still has
 * that height: a frame that takes long to render must not make the element jump.
 */
export function foldFrom(element: HTMLElement, height: number): Animation | undefined {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
  const frame = (px: number) => ({ height: `${px}px`, overflow: 'clip' });
  const folding = element.animate([frame(height), frame(element.offsetHeight)], { duration: 200, easing: 'ease-out' });
  folding.pause();
  requestAnimationFrame(() => folding.playState === 'paused' && folding.play());
  return folding;
}

/** Scrolls all of an element into view without moving the focus, unless a pointer is pressed: nothing may move under a press. */
export function showWhole(element: HTMLElement): void {
  if (!document.documentElement.matches(':active')) element.scrollIntoView({ block: 'nearest' });
}
