import { type Instant, ownerOf, type Principal } from '@parleyhq/core';
import type { Client } from '../tabs/client.ts';

/** Who looks at a page and uses it, as the pages say (frame `activity`), and when the others last did (NTF1). */
export class Attention {
  readonly #now: () => Instant;
  readonly #onLeft: () => void;
  readonly #begun: Instant;
  readonly #looking = new Map<string, Set<Client>>();
  readonly #lastLooked = new Map<string, Instant>();
  /** People who look at a page of another node (OPS4). */
  #elsewhere: ReadonlySet<string> = new Set();

  /** @param onLeft - a person looks no more */
  constructor({ now, onLeft }: { now: () => Instant; onLeft: () => void }) {
    this.#now = now;
    this.#onLeft = onLeft;
    this.#begun = now();
  }

  /** A page says whether it is visible and used. One that never says so is not. */
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

  /** Who looks at a page here. */
  get people(): readonly string[] {
    return [...this.#looking.keys()];
  }

  /** What other nodes tell of theirs. */
  hearElsewhere(people: readonly string[]): void {
    const before = this.#elsewhere;
    this.#elsewhere = new Set(people);
    const left = [...before].filter((person) => !this.#elsewhere.has(person));
    for (const person of left) this.#lastLooked.set(person, this.#now());
    if (left.length > 0) this.#onLeft();
  }

  /**
   * Since when a person has looked at no page; undefined while they look at one. After a start nobody has been away
   * for longer than the server has run: their pages need time to come back.
   */
  awaySince(principal: Principal): Instant | undefined {
    const person = ownerOf(principal);
    return this.#looking.has(person) || this.#elsewhere.has(person)
      ? undefined
      : (this.#lastLooked.get(person) ?? this.#begun);
  }

  #forget(client: Client, person: string): void {
    const pages = this.#looking.get(person);
    if (!pages?.delete(client) || pages.size > 0) return;
    this.#looking.delete(person);
    this.#lastLooked.set(person, this.#now());
    this.#onLeft();
  }
}
