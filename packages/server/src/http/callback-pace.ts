import { RefusalError, TokenBucket } from '@parleyhq/core';
import type { CallbackPlace } from '../outside/callback-addresses.ts';

/** Whoever has an address needs one post; a program that errs may repeat it. */
const rate = { perSecond: 10, burst: 200 };
const maxPlaces = 1000;

/** How often one address may be posted to: whoever has it is a stranger, and each post is checked (SEC6, SEC11). */
export class CallbackPace {
  readonly #buckets = new Map<string, TokenBucket>();

  readonly #now: () => number;

  /** @param now - in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws RefusalError `rate_limited` */
  take({ sessionId, toolCallId, key }: CallbackPlace): void {
    const name = JSON.stringify([sessionId, toolCallId, key]);
    const bucket = this.#buckets.get(name) ?? new TokenBucket(rate);
    this.#buckets.delete(name);
    this.#buckets.set(name, bucket); // the newest last: the oldest is the one to forget
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > maxPlaces && oldest !== undefined) this.#buckets.delete(oldest);
    if (bucket.take(this.#now())) return;
    throw new RefusalError('rate_limited', {
      message: 'Too many posts to this address: slow down.',
      details: { retryAfterMs: Math.ceil(bucket.waitMs) },
    });
  }
}
