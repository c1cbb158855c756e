/** Folds an element from the height that it had, in px; at once for who wants no motion. */
export async function foldFrom(element: HTMLElement, height: number): Promise<void> {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const frame = (px: number) => ({ height: `${px}px`, overflow: 'clip' });
  const fold = element.animate([frame(height), frame(element.offsetHeight)], { duration: 200, easing: 'ease-out' });
  await fold.finished.catch(() => undefined); // the element is gone
}

/** Ends the folding of an element that is as high as before after all: it would cut off what is to be pressed. */
export function stopFolding(element: HTMLElement): void {
  for (const fold of element.getAnimations()) fold.cancel();
}

/** Brings all of an element into view, unless a finger or button is down: nothing moves under a press. The focus stays where it is. */
export function showWhole(element: HTMLElement): void {
  if (!document.documentElement.matches(':active')) element.scrollIntoView({ block: 'nearest' });
}
