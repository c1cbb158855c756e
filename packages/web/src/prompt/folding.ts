/** Animates an element from its former height, in px; returns undefined if reduced motion is preferred. */
export function foldFrom(element: HTMLElement, height: number): Animation | undefined {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
  const frame = (px: number) => ({ height: `${px}px`, overflow: 'clip' });
  return element.animate([frame(height), frame(element.offsetHeight)], { duration: 200, easing: 'ease-out' });
}

/** Scrolls all of an element into view without moving the focus, unless a pointer is pressed: nothing may move under a press. */
export function showWhole(element: HTMLElement): void {
  if (!document.documentElement.matches(':active')) element.scrollIntoView({ block: 'nearest' });
}
