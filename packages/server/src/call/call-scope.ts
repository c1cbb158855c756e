import { AsyncLocalStorage } from 'node:async_hooks';

/** One for all calls: Node keeps every storage that was ever used, and asks each of them at every new promise. */
const names = new AsyncLocalStorage<{ readonly scope: CallScope; readonly name: string }>();

/** Which step or hook of a call the running code is in. What a re-entry may skip must not shift what is counted after it (DUR3). */
export class CallScope {
  #running = 0;

  /** A step or a hook is running. */
  get isActive(): boolean {
    return this.#running > 0;
  }

  /** Empty outside of steps and hooks of this call. */
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
