import { setTimeout } from 'node:timers/promises';

/** Runs its work one at a time: whoever asks while it runs gets a run that begins afterwards, so that the newest comes last. */
export class OneAtATime<T> {
  readonly #work: () => Promise<T>;
  readonly #paceMs: number;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  /** @param paceMs - between two runs in a row, for whoever asks without end */
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
    await running?.catch(() => undefined); // told to whoever asked for that run
    await setTimeout(this.#paceMs, undefined, { ref: false });
    this.#next = undefined;
    return this.#start();
  }
}
