/** How long a prompt may be postponed. */
export type Delay = 'hour' | 'tomorrow';

const hourMs = 3_600_000;
const morning = 8;

/**
 * Returns when a postponed prompt returns: early enough that half of its remaining time, or an hour, is left to answer it.
 * @param leftMs - its remaining time, if it ends
 */
export function reckonReturn(delay: Delay, now: number, leftMs: number | undefined): number {
  const wanted = delay === 'hour' ? now + hourMs : new Date(now).setHours(24 + morning, 0, 0, 0);
  return leftMs === undefined ? wanted : Math.min(wanted, now + Math.max(leftMs / 2, leftMs - hourMs));
}
