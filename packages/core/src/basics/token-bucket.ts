/** A token bucket: a steady rate plus a burst of saved tokens (SEC6). It reads no clock. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number | undefined;
  #cost = 1;

  /** Starts full. */
  constructor({ perSecond, burst }: { perSecond: number; burst: number }) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /**
   * Takes `cost` tokens if there are enough, and returns whether there were. `now` is in milliseconds, of any monotonic clock.
   */
  take(now: number, cost = 1): boolean {
    if (!this.holds(now, cost)) return false;
    this.#tokens -= cost;
    return true;
  }

  /** Whether `take` would succeed. */
  holds(now: number, cost = 1): boolean {
    const elapsedMs = now - (this.#filledAt ?? now);
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsedMs * this.#perSecond) / 1000);
    this.#filledAt = now;
    this.#cost = cost;
    return this.#tokens >= cost;
  }

  /** Takes the cost of something whose size was known only afterwards; the balance may become negative. */
  drain(cost: number): void {
    this.#tokens -= cost;
  }

  /** Milliseconds after the last check until the same cost would pass. */
  get waitMs(): number {
    return Math.max(0, ((this.#cost - this.#tokens) * 1000) / this.#perSecond);
  }
}
