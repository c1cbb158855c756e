import { StoreError } from '@parleyhq/core';

/** Milliseconds between attempts while another process holds the lock. The event loop is not blocked in between. */
const retryDelaysMs = [25, 50, 100, 200];

/** Runs the writes of a batch as one transaction: commits all of it, or throws a StoreError and changes nothing. */
export type Transact = (writeAll: () => void) => void;

/** If more writes than this fail in one batch, the database is assumed to be at fault and the whole batch fails. */
const maxFaults = 20;

/** A queued write. `attempt` may be called again after a rollback; only the last result counts. */
interface Write {
  attempt(): void;
  /** Marks the write as failed: further attempts of its batch leave it out. */
  giveUp(fault: StoreError): void;
  settle(failure: StoreError | undefined): void;
}

/**
 * Writes of one turn of the event loop share a transaction and one fsync, across all sessions (DUR8). Each has its own result: a
 * write that throws a StoreError changes nothing, and the others are stored. One that throws anything else causes a rollback,
 * after which the batch is tried again without it.
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

  /** Resolves when `change` is durable. Writes run and settle in order. */
  write<Value>(change: () => Value): Promise<Value> {
    if (this.#isClosed) return Promise.reject(new StoreError('failed', 'The store is closed.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push(makeWrite(change, resolve, reject));
      if (this.#isDraining) return;
      this.#isDraining = true;
      this.#schedule();
    });
  }

  /** Refuses further writes and resolves when earlier ones are settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isDraining) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    setImmediate(() => this.#commit(this.#takeBatch(), { tries: 0, faults: 0 }));
  }

  #takeBatch(): Write[] {
    const batch = this.#waiting;
    this.#waiting = [];
    return batch;
  }

  #commit(batch: readonly Write[], { tries, faults }: { tries: number; faults: number }): void {
    let current: Write | undefined;
    try {
      this.#transact(() => {
        for (current of batch) current.attempt();
        current = undefined; // from here on an error concerns the whole batch
      });
    } catch (error) {
      const failure = error instanceof StoreError ? error : new StoreError('failed', String(error), { cause: error });
      if (failure.code === 'failed' && current && faults < maxFaults) {
        current.giveUp(failure);
        this.#commit(batch, { tries, faults: faults + 1 });
        return;
      }
      const delay = failure.code === 'busy' ? retryDelaysMs[tries] : undefined;
      if (delay === undefined) this.#settle(batch, failure);
      else setTimeout(() => this.#commit(batch, { tries: tries + 1, faults }), delay); // later writes wait, which keeps the order
      return;
    }
    this.#settle(batch, undefined);
  }

  #settle(batch: readonly Write[], failure: StoreError | undefined): void {
    for (const write of batch) write.settle(failure);
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
  let fault: StoreError | undefined;
  return {
    attempt() {
      if (fault) return;
      refusal = undefined;
      try {
        value = change();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error; // how much it wrote is unknown: only a rollback undoes it
        refusal = error;
      }
    },
    giveUp(its) {
      fault = its;
    },
    settle(failure) {
      const error = fault ?? failure ?? refusal;
      if (error) reject(error);
      else resolve(value);
    },
  };
}
