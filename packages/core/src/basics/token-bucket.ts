/** A token bucket: a steady rate, plus a burst of what was saved up (SEC6). It reads no clock. */
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

  /** Whether one more may pass, or one that counts `cost` times. `now` is in milliseconds, of any monotonic clock. */
  take(now: number, cost = 1): boolean {
    if (!this.holds(now, cost)) return false;
    this.#tokens -= cost;
    return true;
  }

  /** Whether it would. */
  holds(now: number, cost = 1): boolean {
    const elapsedMs = now - (this.#filledAt ?? now);
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsedMs * this.#perSecond) / 1000);
    this.#filledAt = now;
    this.#cost = cost;
    return this.#tokens >= cost;
  }

  /** Takes what was spent before anybody knew how much it would be: what is owed has to come back first. */
  drain(cost: number): void {
    this.#tokens -= cost;
  }

  /** Milliseconds from when it was last asked until the same would pass. */
  get waitMs(): number {
    return Math.max(0, ((this.#cost - this.#tokens) * 1000) / this.#perSecond);
  }
}
