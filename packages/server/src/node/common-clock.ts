import type { Instant } from '@parleyhq/core';

/** In ms: clocks that are set by the network differ by less, and need no other. */
const tolerableMs = 1000;

/**
 * What time it is for all nodes on one database: where this machine's clock is off by more than a second, what the database's says.
 * A deadline that one node sets then ends at the same time at every other, whatever their own clocks say (OPS4, INT10).
 */
export class CommonClock {
  readonly #own: () => Instant;
  /** How far the common clock is ahead of the own. */
  #aheadMs = 0;

  constructor(own: () => Instant) {
    this.#own = own;
  }

  now(): Instant {
    return this.#own() + this.#aheadMs;
  }

  /** Asks a clock that is right what time it is. @throws what `read` throws */
  async follow(read: () => Promise<Instant>): Promise<void> {
    const begun = this.#own();
    const right = await read();
    const halfWay = (this.#own() - begun) / 2; // when it was read is not known any better
    const aheadMs = Math.round(right - begun - halfWay);
    if (Math.abs(aheadMs - this.#aheadMs) > tolerableMs + halfWay) this.#aheadMs = aheadMs;
  }
}
