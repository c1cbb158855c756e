/**
 * Work that runs once at a time, and then once more for everybody who asked for it meanwhile: what they need may have come after
 * it began.
 */
export class Coalesced {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** The current run, or the one about to start. */
  get underWay(): Promise<void> | undefined {
    return this.#running;
  }

  /** Resolves once a run that starts after this request has ended. */
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
