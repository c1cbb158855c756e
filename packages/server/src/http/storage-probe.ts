import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant, Store, WireErrorCode } from '@parleyhq/core';
import { toRefusal } from '../session/storage-refusal.ts';

/** Whoever asks more often than this gets the last answer: everybody may ask. */
const freshMs = 250;

/** In ms: a store that has not answered by then is not ready, whatever it says later. */
const patienceMs = 3000;

/** Whether something can be stored right now, found out by storing it: a disk that is full is found before a person meets it. */
export class StorageProbe {
  readonly #store: Pick<Store, 'pluginState'>;
  readonly #now: () => Instant;
  #last: Promise<WireErrorCode | undefined> | undefined;
  #askedAt = 0;
  #isAsking = false;

  constructor(store: Pick<Store, 'pluginState'>, now: () => Instant) {
    this.#store = store;
    this.#now = now;
  }

  /** Why nothing can be stored, if so. */
  async check(): Promise<WireErrorCode | undefined> {
    if (!this.#last || (!this.#isAsking && performance.now() >= this.#askedAt + freshMs)) this.#last = this.#ask();
    const answered = new AbortController();
    const late = sleep(patienceMs, 'storage_failed' as const, { signal: answered.signal });
    late.catch(() => undefined); // it was not waited for
    const code = await Promise.race([this.#last, late]);
    answered.abort();
    return code;
  }

  async #ask(): Promise<WireErrorCode | undefined> {
    this.#askedAt = performance.now();
    this.#isAsking = true;
    try {
      await this.#store.pluginState.set('', undefined, 'probe', this.#now());
      return undefined;
    } catch (error) {
      return toRefusal(error).code;
    } finally {
      this.#isAsking = false;
    }
  }
}
