/**
 * Waits until the page has nothing else to do. Not every browser tells when that is.
 * @param longestMs - waits no longer, though others keep the page busy
 */
export function findMoment(longestMs: number): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: longestMs });
    else setTimeout(resolve);
  });
}
