/** A set of listeners. A listener that is removed during a notification is not called any more. */
export class Listeners<Args extends readonly unknown[] = []> {
  readonly #all = new Set<(...args: Args) => void>();

  /** @returns a function that removes the listener */
  add(listener: (...args: Args) => void): () => void {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  }

  notify(...args: Args): void {
    for (const listener of this.#all) listener(...args);
  }
}
