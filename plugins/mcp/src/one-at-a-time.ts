import { setTimeout } from 'node:timers/promises';

/**
 * Runs work one run at a time. Requests during a run share one later run, so that all callers get a result from after their
 * request.
 */
export class OneAtATime<T> {
  readonly #work: () => Promise<T>;
  readonly #paceMs: number;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  /** @param paceMs - the pause between two runs in a row */
  constructor(work: () => Promise<T>, paceMs: number) {
    this.#work = work;
    this.#paceMs = paceMs;
  }

  /** @throws what the work throws */
  run(): Promise<T> {
    if (!this.#running && !this.#next) return this.#start();
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  #start(): Promise<T> {
    const running = this.#work().finally(() => {
      this.#running = undefined;
    });
    this.#running = running;
    return running;
  }

  async #after(running: Promise<T> | undefined): Promise<T> {
    await running?.catch(() => undefined); // reported to the callers of that run
    await setTimeout(this.#paceMs, undefined, { ref: false });
    this.#next = undefined;
    return this.#start();
  }
}
