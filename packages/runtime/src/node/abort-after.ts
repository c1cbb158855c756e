import { longestTimerMs } from './clock.ts';

/**
 * Runs work with a signal that aborts after `ms`, never if that is infinite, or with one of the others. Not `AbortSignal.timeout`: Node 20 may collect one that
 * is only a source of `AbortSignal.any`, and then it never aborts.
 */
export async function abortAfter<T>(
  ms: number,
  others: readonly AbortSignal[],
  work: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = () => limit.abort(new DOMException('The time is up.', 'TimeoutError'));
  const timer = ms === Number.POSITIVE_INFINITY ? undefined : setTimeout(end, Math.min(ms, longestTimerMs));
  try {
    return await work(AbortSignal.any([limit.signal, ...others]));
  } finally {
    clearTimeout(timer);
  }
}
