import { vi } from 'vitest';

/**
 * The first of what came that fits, as soon as it is there.
 * @param faults - what may say why it does not come
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
