/** How often an update is tried that fails for an unknown reason. */
const mostTries = 5;

/** The same if the server asks to try again: for about half a minute, because no other updates of the account are handled meanwhile. */
const mostTriesLater = 7;

/** In seconds. */
const longestDelay = 30;

/**
 * Returns the seconds after which an update is tried again; undefined if it is to be skipped. What could not be stored is tried until
 * it is (DUR8).
 * @param code - of the error
 * @param tries - how often it was tried
 */
export function delayAfter(code: unknown, tries: number): number | undefined {
  const most = code === 'retry_later' ? mostTriesLater : mostTries;
  const isTried = String(code).startsWith('storage_') || tries < most;
  return isTried ? Math.min(2 ** (tries - 2), longestDelay) : undefined;
}
