/**
 * Waits until the page is idle; in browsers without `requestIdleCallback`, for the next task.
 * @param longestMs - the longest wait, even if the page stays busy
 */
export function findMoment(longestMs: number): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: longestMs });
    else setTimeout(resolve);
  });
}
