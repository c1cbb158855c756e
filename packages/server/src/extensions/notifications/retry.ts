/** Delays in ms: 5 s, 15 s, 45 s … and then an hour each. */
const firstMs = 5000;
const longestMs = 3_600_000;

/** Spread over about a day (NTF3). */
export const maxAttempts = 30;

/** Returns the delay in ms after this many failed attempts; longer if the receiver asks for it. */
export function retryDelay(attempts: number, askedMs = 0): number {
  return Math.max(Math.min(firstMs * 3 ** (attempts - 1), longestMs), Math.min(askedMs, longestMs));
}
