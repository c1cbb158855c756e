import type { Instant } from '@parleyhq/core';

/** In ms: clocks synchronised by the network differ by less, and need no correction. */
const tolerableMs = 1000;

/**
 * Common time of all nodes on one database: the machine's clock, corrected to the database's if it is off by more than a second.
 * A deadline that one node sets then ends at the same time at all others, whatever their own clocks say (OPS4, INT10).
 */
export class CommonClock {
  readonly #own: () => Instant;
  /** Offset of the common clock from this machine's. */
  #aheadMs = 0;

  constructor(own: () => Instant) {
    this.#own = own;
  }

  now(): Instant {
    return this.#own() + this.#aheadMs;
  }

  /** Corrects the offset by a reference clock. @throws what `read` throws */
  async follow(read: () => Promise<Instant>): Promise<void> {
    const begun = this.#own();
    const right = await read();
    const halfWay = (this.#own() - begun) / 2; // the clock was read at an unknown moment in between
    const aheadMs = Math.round(right - begun - halfWay);
    if (Math.abs(aheadMs - this.#aheadMs) > tolerableMs + halfWay) this.#aheadMs = aheadMs;
  }
}
