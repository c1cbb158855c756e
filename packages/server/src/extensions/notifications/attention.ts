import { type Instant, ownerOf, type Principal } from '@parleyhq/core';
import { type Client, Replicated } from '@parleyhq/runtime';

/**
 * Which people are looking at a page and using it, as the pages report (frame `activity`), and when the others last did (NTF1).
 */
export class Attention {
  readonly #now: () => Instant;
  readonly #onLeft: () => void;
  readonly #begun: Instant;
  readonly #looking = new Map<string, Set<Client>>();
  readonly #lastLooked = new Map<string, Instant>();
  /** People who are looking at a page, by the node that serves it. */
  readonly people = new Replicated<readonly string[]>(
    'looking',
    () => [...this.#looking.keys()],
    (before) => this.#leave(before.flat().filter((person) => !this.people.others.flat().includes(person))),
  );

  /** @param onLeft - called when a person stops looking */
  constructor({ now, onLeft }: { now: () => Instant; onLeft: () => void }) {
    this.#now = now;
    this.#onLeft = onLeft;
    this.#begun = now();
  }

  /** Receives a page's report of whether it is visible and in use; a page that never reports does not count. */
  see(client: Client, isVisible: boolean): void {
    const person = ownerOf(client.principal);
    if (!isVisible) {
      this.#forget(client, person);
      return;
    }
    const pages = this.#looking.get(person) ?? new Set();
    if (pages.has(client) || client.gone.aborted) return;
    this.#looking.set(person, pages.add(client));
    client.gone.addEventListener('abort', () => this.#forget(client, person), { once: true });
  }

  /**
   * Returns since when a person has not looked at a page; undefined while they do. After a start nobody counts as away for longer
   * than the server has run, because pages need time to reconnect.
   */
  awaySince(principal: Principal): Instant | undefined {
    const person = ownerOf(principal);
    const isLooking = this.#looking.has(person) || this.people.others.some((people) => people.includes(person));
    return isLooking ? undefined : (this.#lastLooked.get(person) ?? this.#begun);
  }

  #forget(client: Client, person: string): void {
    const pages = this.#looking.get(person);
    if (!pages?.delete(client) || pages.size > 0) return;
    this.#looking.delete(person);
    this.#leave([person]);
  }

  #leave(people: readonly string[]): void {
    for (const person of people) this.#lastLooked.set(person, this.#now());
    if (people.length > 0) this.#onLeft();
  }
}
