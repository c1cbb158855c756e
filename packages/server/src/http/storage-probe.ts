import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant, Store, WireErrorCode } from '@parleyhq/core';
import { toRefusal } from '@parleyhq/runtime';

/** In ms: within this time the last result is returned again, because anybody may ask. */
const freshMs = 250;

/** In ms: a store that takes longer than this counts as not ready. */
const patienceMs = 3000;

/** Checks by a write whether something can be stored, so that a full disk is noticed before a person is affected. */
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

  /** Returns why nothing can be stored; undefined if storing works. */
  async check(): Promise<WireErrorCode | undefined> {
    if (!this.#last || (!this.#isAsking && performance.now() >= this.#askedAt + freshMs)) this.#last = this.#ask();
    const answered = new AbortController();
    const late = sleep(patienceMs, 'storage_failed' as const, { signal: answered.signal });
    late.catch(() => undefined); // aborted, because it is not needed
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
