import { AsyncLocalStorage } from 'node:async_hooks';

/** Shared by all calls: Node never releases an `AsyncLocalStorage` and consults each one at every new promise. */
const names = new AsyncLocalStorage<{ readonly scope: CallScope; readonly name: string }>();

/**
 * Tracks which step or hook of a call the running code is in, so that one skipped on re-entry does not shift the counts after it
 * (DUR3).
 */
export class CallScope {
  #running = 0;

  /** Whether a step or hook is running. */
  get isActive(): boolean {
    return this.#running > 0;
  }

  /** Name of the current step or hook; empty outside of those of this call. */
  get name(): string {
    const inner = names.getStore();
    return inner?.scope === this ? inner.name : '';
  }

  async within<T>(name: string, fn: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await names.run({ scope: this, name }, fn);
    } finally {
      this.#running -= 1;
    }
  }
}
