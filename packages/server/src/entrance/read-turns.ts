import type { Connection } from '@parleyhq/core';

/**
 * Whose turn it is to read. However many connections a person has, one read of theirs begins in a turn of the event loop:
 * everybody else's frames run in between (FRM5, SEC11).
 */
export class ReadTurns {
  /** By person, those who wait, the longest waiting first. Nobody waits where there is no list. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** The same connection, which is ready for more once what it was sent has left and it is its person's turn. */
  pace(connection: Connection, person: string): Connection {
    return {
      id: connection.id,
      send: (batch) => connection.send(batch),
      close: (code, reason) => connection.close(code, reason),
      drained: async () => {
        await connection.drained();
        await this.next(person);
      },
    };
  }

  /** Resolves in a later turn of the event loop, in which nothing else of this person's does. */
  next(person: string): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(person);
      if (waiting) waiting.push(resolve);
      else this.#begin(person, [resolve]);
    });
  }

  #begin(person: string, waiting: (() => void)[]): void {
    this.#waiting.set(person, waiting);
    let served = 0; // not `shift`, which moves a long list each time
    const serve = () => {
      waiting[served++]?.();
      if (served < waiting.length) setImmediate(serve);
      else this.#waiting.delete(person);
    };
    setImmediate(serve);
  }
}
