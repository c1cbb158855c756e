import { vi } from 'vitest';

/**
 * Waits for the first element that is accepted.
 * @param faults - errors that may explain why it does not come
 */
export function awaitFirst<T>(
  came: readonly T[],
  accepts: (each: T) => boolean,
  faults: readonly string[] = [],
): Promise<T> {
  return vi.waitFor(
    () => {
      const found = came.find(accepts);
      if (!found) throw new Error(`none of these fits: ${JSON.stringify(came)} ${faults}`);
      return found;
    },
    { timeout: 30_000, interval: 10 },
  );
}
