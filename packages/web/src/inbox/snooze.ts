import type { InboxEntry } from '@parleyhq/core';
import { deviceStorage } from '../browser/storage.ts';

const place = 'parley.snoozed';

/** Returns a key for a prompt that is unique across sessions. */
export function keyOf({ sessionId, interaction }: Pick<InboxEntry, 'sessionId' | 'interaction'>): string {
  return `${sessionId} ${interaction.interactionId}`;
}

/**
 * Prompts postponed on this device, by key, with the time of their return in ms. This stays on the device and answers nothing.
 */
export class Snoozed {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly #listeners = new Set<() => void>();
  #until: ReadonlyMap<string, number>;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'>) {
    this.#storage = storage;
    this.#until = read(storage);
  }

  /** Returns when a postponed prompt returns; undefined if it is not postponed. */
  untilOf(key: string, now: number): number | undefined {
    const until = this.#until.get(key);
    return until !== undefined && until > now ? until : undefined;
  }

  /** Returns when the next postponed prompt returns. */
  next(now: number): number | undefined {
    const later = [...this.#until.values()].filter((until) => until > now);
    return later.length > 0 ? Math.min(...later) : undefined;
  }

  /**
   * Calls `listener` whenever a prompt is postponed or returns: here, in another tab, or because its time has come.
   * @returns a function that ends this
   */
  watch(listener: () => void): () => void {
    const reread = () => {
      this.#until = read(this.#storage);
      this.#changed();
    };
    addEventListener('storage', reread);
    this.#until = read(this.#storage);
    this.#listeners.add(listener);
    this.#wait();
    return () => {
      removeEventListener('storage', reread);
      this.#listeners.delete(listener);
      this.#wait();
    };
  }

  snooze(key: string, until: number, now: number): void {
    const kept = [...read(this.#storage)].filter(([, other]) => other > now);
    this.#keep(new Map([...kept, [key, until]]));
  }

  wake(key: string): void {
    this.#keep(new Map([...read(this.#storage)].filter(([other]) => other !== key)));
  }

  #keep(until: ReadonlyMap<string, number>): void {
    this.#until = until;
    this.#storage.setItem(place, JSON.stringify([...until]));
    this.#changed();
  }

  #changed(): void {
    this.#wait();
    for (const listener of this.#listeners) listener();
  }

  /** Sets the timer for the next return. */
  #wait(): void {
    clearTimeout(this.#timer);
    const now = Date.now();
    const due = this.#listeners.size > 0 ? this.next(now) : undefined;
    if (due !== undefined) this.#timer = setTimeout(() => this.#changed(), Math.min(due - now, 2 ** 31 - 1));
  }
}

function read(storage: Pick<Storage, 'getItem'>): ReadonlyMap<string, number> {
  try {
    const entries: unknown = JSON.parse(storage.getItem(place) ?? '[]');
    return new Map(Array.isArray(entries) ? (entries as [string, number][]) : []);
  } catch {
    return new Map(); // the storage holds something else
  }
}

/** The prompts postponed on this device. */
export const snoozed: Snoozed = new Snoozed(deviceStorage);
