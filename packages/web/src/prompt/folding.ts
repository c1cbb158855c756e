/** Folds an element from the height that it had, in px; undefined for who wants no motion. */
export function foldFrom(element: HTMLElement, height: number): Animation | undefined {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
  const frame = (px: number) => ({ height: `${px}px`, overflow: 'clip' });
  return element.animate([frame(height), frame(element.offsetHeight)], { duration: 200, easing: 'ease-out' });
}

/** Brings all of an element into view, unless a finger or button is down: nothing moves under a press. The focus stays where it is. */
export function showWhole(element: HTMLElement): void {
  if (!document.documentElement.matches(':active')) element.scrollIntoView({ block: 'nearest' });
}
