/** A token bucket: a steady rate, plus a burst of what was saved up (SEC6). It reads no clock. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number | undefined;

  /** Starts full. */
  constructor({ perSecond, burst }: { perSecond: number; burst: number }) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Whether one more may pass. `now` is in milliseconds, of any monotonic clock. */
  take(now: number): boolean {
    const elapsedMs = now - (this.#filledAt ?? now);
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsedMs * this.#perSecond) / 1000);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds from the last `take` until the next one would pass. */
  get waitMs(): number {
    return Math.max(0, ((1 - this.#tokens) * 1000) / this.#perSecond);
  }
}
