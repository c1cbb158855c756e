import type { Connection } from '@parleyhq/core';

/**
 * Runs the reads of one connection one after another, each once the previous reply has left. However much a client requests
 * without reading, it costs only the first reply (FRM5, SEC11).
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
   * @param work - must not reject
   * @returns a promise of its end; undefined, without running it, if too much is waiting
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
