import { AsyncLocalStorage } from 'node:async_hooks';

/** Which step or hook of a call the running code is in. What a re-entry may skip must not shift what is counted after it (DUR3). */
export class CallScope {
  readonly #names = new AsyncLocalStorage<string>();
  #running = 0;

  /** A step or a hook is running. */
  get isActive(): boolean {
    return this.#running > 0;
  }

  /** Empty outside of steps and hooks. */
  get name(): string {
    return this.#names.getStore() ?? '';
  }

  async within<T>(name: string, fn: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await this.#names.run(name, fn);
    } finally {
      this.#running -= 1;
    }
  }
}
