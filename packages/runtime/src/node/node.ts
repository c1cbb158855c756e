import type { Instant } from '@parleyhq/core';

/** Identity and clock of this process. */
export interface Node {
  /** Id of the node, recorded as `owner` of the turns it runs. */
  readonly id: string;
  /** Time of the start, by the monotonic clock (`performance.now`). */
  readonly startedAt: number;
  now(): Instant;
}
