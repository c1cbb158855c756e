import type { Instant, Store, WireErrorCode } from '@parleyhq/core';
import { toRefusal } from '../session/storage-refusal.ts';

/** Whoever asks more often than this gets the last answer: everybody may ask. */
const freshMs = 250;

/** Whether something can be stored right now, found out by storing it: a disk that is full is found before a person meets it. */
export class StorageProbe {
  readonly #store: Pick<Store, 'pluginState'>;
  readonly #now: () => Instant;
  #last: Promise<WireErrorCode | undefined> | undefined;
  #askedAt = 0;

  constructor(store: Pick<Store, 'pluginState'>, now: () => Instant) {
    this.#store = store;
    this.#now = now;
  }

  /** Why nothing can be stored, if so. */
  check(): Promise<WireErrorCode | undefined> {
    const at = performance.now();
    if (this.#last && at < this.#askedAt + freshMs) return this.#last;
    this.#askedAt = at;
    this.#last = this.#store.pluginState.set('', undefined, 'probe', this.#now()).then(
      () => undefined,
      (error: unknown) => toRefusal(error).code,
    );
    return this.#last;
  }
}
