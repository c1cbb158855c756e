import { longestTimerMs, systemClock } from './clock.ts';

/**
 * Returns the result of the work if it finishes within `limitMs`. The work cannot be stopped: it continues, and its result is
 * ignored.
 * @throws what the work throws; after the limit, the error that `refuse` makes of it, in ms
 */
export async function limitTime<T>(
  limitMs: number,
  work: () => T | Promise<T>,
  refuse: (ms: number) => Error,
  clock = systemClock,
): Promise<T> {
  const ms = Math.min(limitMs, longestTimerMs);
  let stop: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    stop = clock.after(ms, () => reject(refuse(ms)));
  });
  try {
    return await Promise.race([(async () => work())(), late]);
  } finally {
    stop?.();
  }
}
