import type { Append, EventStore, Seq, SessionId } from '@parleyhq/core';

/** An event store that reports how long each append took, in seconds. */
export class TimedEventStore implements EventStore {
  readonly #store: EventStore;
  readonly #observe: (seconds: number) => void;

  constructor(store: EventStore, observe: (seconds: number) => void) {
    this.#store = store;
    this.#observe = observe;
  }

  async append(change: Append): Promise<void> {
    const begun = performance.now();
    await this.#store.append(change);
    this.#observe((performance.now() - begun) / 1000);
  }

  read(sessionId: SessionId, afterSeq: Seq, limit?: number): AsyncIterable<readonly string[]> {
    return this.#store.read(sessionId, afterSeq, limit);
  }
}
