/** Work that runs once at a time, and once more for all who ask for it meanwhile: what they need may have come after it began. */
export class Coalesced {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** What runs, or is about to. */
  get underWay(): Promise<void> | undefined {
    return this.#running;
  }

  /** Resolves once it has run from its beginning. */
  run(): Promise<void> {
    if (!this.#running) return this.#begin();
    this.#next ??= this.#running.catch(() => undefined).then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#running = this.#work().finally(() => {
      this.#running = this.#next;
    });
    return this.#running;
  }
}
