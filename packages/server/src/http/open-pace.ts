import { RefusalError, TokenBucket } from '@parleyhq/core';

/** Requests per place: a callback needs one, but a faulty program may repeat it. */
const rate = { perSecond: 10, burst: 200 };
const maxPlaces = 1000;

/**
 * Limits how often a place may be used that needs no credential: its callers are unknown, and each request is validated (SEC6,
 * SEC11).
 */
export class OpenPace {
  readonly #buckets = new Map<string, TokenBucket>();

  readonly #now: () => number;

  /** @param now - in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Counts a request; a large one counts several times.
   * @param place - identifies what is used, such as a callback
   * @throws RefusalError `rate_limited`
   */
  take(place: readonly string[], count = 1): void {
    const name = JSON.stringify(place);
    const bucket = this.#buckets.get(name) ?? new TokenBucket(rate);
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket); // newest last; the oldest is dropped first
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > maxPlaces && oldest !== undefined) this.#buckets.delete(oldest);
    if (bucket.take(this.#now(), count)) return;
    throw new RefusalError('rate_limited', {
      message: 'Too many posts to this address: slow down.',
      details: { retryAfterMs: Math.ceil(bucket.waitMs) },
    });
  }
}
