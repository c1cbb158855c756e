/** Requests in progress, by key: a repeat shares the result of the first; a later one finds it in the log (FRM6). */
export class UnderWay {
  readonly #requests = new Map<string, Promise<unknown>>();

  share<T>(key: string, work: () => Promise<T>): Promise<T> {
    const known = this.#requests.get(key);
    if (known) return known as Promise<T>;
    const begun = work().finally(() => this.#requests.delete(key));
    this.#requests.set(key, begun);
    return begun;
  }
}
