/** Runs work of the same key one after the other: each begins once the one before has ended, even if that failed. */
export class OneByOne {
  readonly #last = new Map<string, Promise<unknown>>();

  /** @throws what the work throws */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.#last.get(key)?.catch(() => undefined) ?? Promise.resolve();
    const begun = earlier.then(work);
    const kept = begun.finally(() => {
      if (this.#last.get(key) === kept) this.#last.delete(key);
    });
    kept.catch(() => undefined); // the caller of `run` handles the failure
    this.#last.set(key, kept);
    return begun;
  }
}
