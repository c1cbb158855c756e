import { longestTimerMs } from './longest-timer.ts';

/**
 * What the work comes to, if it does within `limitMs`. Nothing can stop it: it goes on, and nobody hears of it any more.
 * @throws what the work throws; what `refuse` makes of the limit, in ms
 */
export async function limitTime<T>(
  limitMs: number,
  work: () => T | Promise<T>,
  refuse: (ms: number) => Error,
): Promise<T> {
  const ms = Math.min(limitMs, longestTimerMs);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(refuse(ms)), ms);
  });
  try {
    return await Promise.race([(async () => work())(), late]);
  } finally {
    clearTimeout(timer);
  }
}
