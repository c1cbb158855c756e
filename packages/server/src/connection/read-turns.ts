import type { Connection } from '@parleyhq/core';

/**
 * Limits reads per person: however many connections a person has, only one of their reads begins in each turn of the event loop,
 * so that everybody else's frames run in between (FRM5, SEC11).
 */
export class ReadTurns {
  /** Waiting reads by person, the longest waiting first; no entry if none waits. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Returns the connection with a `drained` that also waits for the person's turn. */
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

  /** Resolves in a later turn of the event loop, in which no other read of this person begins. */
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
