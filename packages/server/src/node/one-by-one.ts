/** Work that must not overlap with other work of the same key: each begins once the one before it has ended, however it ended. */
export class OneByOne {
  readonly #last = new Map<string, Promise<unknown>>();

  /** @throws what the work throws */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.#last.get(key)?.catch(() => undefined) ?? Promise.resolve();
    const begun = earlier.then(work);
    const kept = begun.finally(() => {
      if (this.#last.get(key) === kept) this.#last.delete(key);
    });
    kept.catch(() => undefined); // whoever began it hears of its failure
    this.#last.set(key, kept);
    return begun;
  }
}
