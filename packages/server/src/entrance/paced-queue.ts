import type { Connection } from '@parleyhq/core';

/**
 * What is read for one connection: one thing after another, each once the one before is on its way. However much a reader
 * asks for who does not read, it costs what is asked for first (FRM5, SEC11).
 */
export class PacedQueue {
  readonly #connection: Pick<Connection, 'drained'>;
  readonly #maxWaiting: number;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(connection: Pick<Connection, 'drained'>, maxWaiting: number) {
    this.#connection = connection;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * @param work - does not reject
   * @returns a promise of its end; undefined, and it does not run, where too much is waiting
   */
  add(work: () => Promise<void>): Promise<void> | undefined {
    if (this.#waiting >= this.#maxWaiting) return undefined;
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      await this.#connection.drained();
      this.#waiting -= 1;
      await work();
    });
    return this.#last;
  }
}
