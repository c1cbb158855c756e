/** In ms: 5 s, 15 s, 45 s … and then every hour. */
const firstMs = 5000;
const longestMs = 3_600_000;

/** About a day (NTF3). */
export const maxAttempts = 30;

/** How long after so many failed attempts to try again; longer if the receiver asks for it. */
export function retryDelay(attempts: number, askedMs = 0): number {
  return Math.max(Math.min(firstMs * 3 ** (attempts - 1), longestMs), Math.min(askedMs, longestMs));
}
