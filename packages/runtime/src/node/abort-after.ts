import { longestTimerMs } from './clock.ts';

/**
 * Runs work with a signal that aborts after `ms`, or with one of the others. Not `AbortSignal.timeout`: Node 20 may collect one that
 * is only a source of `AbortSignal.any`, and then it never aborts.
 */
export async function abortAfter<T>(
  ms: number,
  others: readonly AbortSignal[],
  work: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new DOMException('The time is up.', 'TimeoutError')),
    Math.min(ms, longestTimerMs),
  );
  try {
    return await work(AbortSignal.any([limit.signal, ...others]));
  } finally {
    clearTimeout(timer);
  }
}
