import type { Instant } from '@parleyhq/core';
import type { Ticket, TicketKind } from './ticket.ts';

/** How many are remembered; the oldest are forgotten first. */
const mostSpent = 10_000;

/** A ticket that is valid until a time. */
export type TimedTicket = Pick<Ticket<TicketKind>, 'ticketId'> & { readonly until: Instant };

/**
 * Remembers the tickets that were used here, until they end. For tickets that end within minutes: another node, and this one after
 * a restart, know nothing of them.
 */
export class SpentTickets {
  readonly #now: () => Instant;
  /** When each ends, by its id. */
  readonly #ends = new Map<string, Instant>();

  constructor(now: () => Instant) {
    this.#now = now;
  }

  /** Uses a ticket. Returns whether it was unused. */
  spend({ ticketId, until }: TimedTicket): boolean {
    if (this.has({ ticketId })) return false;
    for (const [id, end] of this.#ends) if (end <= this.#now() || this.#ends.size >= mostSpent) this.#ends.delete(id);
    this.#ends.set(ticketId, until);
    return true;
  }

  has({ ticketId }: Pick<TimedTicket, 'ticketId'>): boolean {
    return this.#ends.has(ticketId);
  }
}
