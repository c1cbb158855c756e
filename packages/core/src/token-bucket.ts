/** So many a second, and what was saved up at once: a bucket that fills with time (SEC6). It reads no clock. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number | undefined;

  /** Full to begin with. */
  constructor({ perSecond, burst }: { perSecond: number; burst: number }) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
  }

  /** Whether one more may pass now; `now` in milliseconds of any clock that never goes back. */
  take(now: number): boolean {
    const elapsedMs = now - (this.#filledAt ?? now);
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsedMs * this.#perSecond) / 1000);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** How many milliseconds after the last `take` the next one passes. */
  get waitMs(): number {
    return Math.max(0, ((1 - this.#tokens) * 1000) / this.#perSecond);
  }
}
