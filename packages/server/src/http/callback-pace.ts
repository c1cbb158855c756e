import { RefusalError, TokenBucket } from '@parleyhq/core';
import type { CallbackRef } from '../extensions/programs/callback-addresses.ts';

/** Posts per address: one is enough, but a faulty program may repeat it. */
const rate = { perSecond: 10, burst: 200 };
const maxPlaces = 1000;

/**
 * Limits how often one address may be posted to, because its callers are unauthenticated and each post is validated (SEC6,
 * SEC11).
 */
export class CallbackPace {
  readonly #buckets = new Map<string, TokenBucket>();

  readonly #now: () => number;

  /** @param now - in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a post. @throws RefusalError `rate_limited` */
  take({ sessionId, toolCallId, key }: CallbackRef): void {
    const name = JSON.stringify([sessionId, toolCallId, key]);
    const bucket = this.#buckets.get(name) ?? new TokenBucket(rate);
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket); // newest last; the oldest is dropped first
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > maxPlaces && oldest !== undefined) this.#buckets.delete(oldest);
    if (bucket.take(this.#now())) return;
    throw new RefusalError('rate_limited', {
      message: 'Too many posts to this address: slow down.',
      details: { retryAfterMs: Math.ceil(bucket.waitMs) },
    });
  }
}
