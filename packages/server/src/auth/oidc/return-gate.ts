import type { Instant } from '@parleyhq/core';
import { SpentTickets, type TimedTicket } from '../spent-tickets.ts';
import { BusyError, ProviderError } from './oidc-settings.ts';

/** How many returns are handled at once. */
const mostAtOnce = 16;

/**
 * Lets returns from the provider pass: each once, and a few at a time. Each makes this server send requests to the provider before
 * anybody is known (SIGN1).
 */
export class ReturnGate {
  readonly #spent: SpentTickets;
  #running = 0;

  constructor(now: () => Instant) {
    this.#spent = new SpentTickets(now);
  }

  /**
   * @param ticket - what the browser brought back
   * @throws ProviderError if it was brought before
   * @throws BusyError if too many come at once: it may be brought again
   */
  async pass<T>(ticket: TimedTicket, handle: () => Promise<T>): Promise<T> {
    if (this.#running >= mostAtOnce && !this.#spent.has(ticket)) throw new BusyError();
    if (!this.#spent.spend(ticket)) throw new ProviderError('The browser came back with the same ticket before.');
    this.#running += 1;
    try {
      return await handle();
    } finally {
      this.#running -= 1;
    }
  }
}
