import type { Instant } from '@parleyhq/core';
import type { Clock } from './clock.ts';

/** Identity, clocks and random ids of this process. */
export interface Node {
  /** Id of the node, recorded as `owner` of the turns it runs. */
  readonly id: string;
  readonly clock: Clock;
  /** Elapsed time of `clock` at the start. */
  readonly startedAt: number;
  /** The time of day, which may be set back. */
  now(): Instant;
  /** Returns a random UUID. */
  uuid(): string;
}
