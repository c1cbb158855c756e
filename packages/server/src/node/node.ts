import type { Instant } from '@parleyhq/core';

/** This process: who it is, and what time it has. */
export interface Node {
  /** The `owner` of the turns it runs. */
  readonly id: string;
  /** When it began to serve, by the monotonic clock (`performance.now`). */
  readonly startedAt: number;
  now(): Instant;
}
