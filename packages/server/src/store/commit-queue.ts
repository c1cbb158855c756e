import { StoreError } from '@parleyhq/core';

/** Milliseconds between tries under somebody else's lock; the loop is free meanwhile. */
const retryDelaysMs = [25, 50, 100, 200];

/** Runs the writes of a group as one transaction: all that it did stays, or it throws a StoreError and nothing does. */
export type Transact = (writeAll: () => void) => void;

/** One change on its way. `attempt` may be called again after a rollback; what counts is the last result. */
interface Write {
  attempt(): void;
  settle(failure: StoreError | undefined): void;
}

/**
 * Writes of one loop turn share a transaction and one fsync, over all sessions (DUR8). Each keeps its own result: a
 * write that throws a StoreError changed nothing, and its neighbours are stored.
 */
export class CommitQueue {
  readonly #transact: Transact;
  #waiting: Write[] = [];
  #isDraining = false;
  #isClosed = false;
  #idle: Array<() => void> = [];

  constructor(transact: Transact) {
    this.#transact = transact;
  }

  /** Resolves when `change` is durable. Writes are made and settled in the order they came. */
  write<Value>(change: () => Value): Promise<Value> {
    if (this.#isClosed) return Promise.reject(new StoreError('failed', 'The store is closed.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push(makeWrite(change, resolve, reject));
      if (this.#isDraining) return;
      this.#isDraining = true;
      this.#schedule();
    });
  }

  /** Takes no more writes; resolves when those before are settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isDraining) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    setImmediate(() => this.#commit(this.#takeGroup(), 0));
  }

  #takeGroup(): Write[] {
    const group = this.#waiting;
    this.#waiting = [];
    return group;
  }

  #commit(group: readonly Write[], tries: number): void {
    try {
      this.#transact(() => {
        for (const write of group) write.attempt();
      });
    } catch (error) {
      const failure = error instanceof StoreError ? error : new StoreError('failed', String(error), { cause: error });
      const delay = failure.code === 'busy' ? retryDelaysMs[tries] : undefined;
      if (delay === undefined) this.#settle(group, failure);
      else setTimeout(() => this.#commit(group, tries + 1), delay); // those behind wait: order is kept
      return;
    }
    this.#settle(group, undefined);
  }

  #settle(group: readonly Write[], failure: StoreError | undefined): void {
    for (const write of group) write.settle(failure);
    this.#isDraining = this.#waiting.length > 0;
    if (this.#isDraining) this.#schedule();
    else for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function makeWrite<Value>(
  change: () => Value,
  resolve: (value: Value) => void,
  reject: (error: StoreError) => void,
): Write {
  let value: Value;
  let refusal: StoreError | undefined;
  return {
    attempt() {
      refusal = undefined;
      try {
        value = change();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error; // not this write's own result: the group fails
        refusal = error;
      }
    },
    settle(failure) {
      const error = failure ?? refusal;
      if (error) reject(error);
      else resolve(value);
    },
  };
}
