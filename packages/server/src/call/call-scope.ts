import { AsyncLocalStorage } from 'node:async_hooks';

/** Which step or hook of a call the running code is in. What a re-entry may skip must not shift what is counted after it (DUR3). */
export class CallScope {
  readonly #names = new AsyncLocalStorage<string>();

  /** Empty outside of steps and hooks. */
  get name(): string {
    return this.#names.getStore() ?? '';
  }

  within<T>(name: string, fn: () => Promise<T>): Promise<T> {
    return this.#names.run(name, fn);
  }
}
