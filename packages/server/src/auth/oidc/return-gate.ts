import type { Instant } from '@parleyhq/core';
import { ProviderError } from './oidc-settings.ts';

/** How many returns are handled at once, and how many are remembered. */
const mostAtOnce = 16;
const mostSpent = 10_000;

/**
 * Lets returns from the provider pass: each once, and a few at a time. Each makes this server send requests to the provider before
 * anybody is known (SIGN1).
 */
export class ReturnGate {
  readonly #now: () => Instant;
  /** Until when each used ticket would be valid, by its id. */
  readonly #spent = new Map<string, Instant>();
  #running = 0;

  constructor(now: () => Instant) {
    this.#now = now;
  }

  /**
   * @param ticket - what the browser brought back
   * @throws ProviderError if it was brought before, or too many come at once
   */
  async pass<T>({ ticketId, until }: { ticketId: string; until: Instant }, handle: () => Promise<T>): Promise<T> {
    if (this.#spent.has(ticketId)) throw new ProviderError('The browser came back with the same ticket before.');
    if (this.#running >= mostAtOnce) throw new ProviderError('Too many people come back from the provider at once.');
    this.#spend(ticketId, until);
    this.#running += 1;
    try {
      return await handle();
    } finally {
      this.#running -= 1;
    }
  }

  #spend(ticketId: string, until: Instant): void {
    for (const [id, end] of this.#spent)
      if (end <= this.#now() || this.#spent.size >= mostSpent) this.#spent.delete(id);
    this.#spent.set(ticketId, until);
  }
}
