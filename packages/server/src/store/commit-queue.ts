import { StoreError } from '@parleyhq/core';

/** Milliseconds between attempts while another process holds the lock. The event loop is not blocked meanwhile. */
const retryDelaysMs = [25, 50, 100, 200];

/** Runs the writes of a group as one transaction: commits all of it, or throws a StoreError and changes nothing. */
export type Transact = (writeAll: () => void) => void;

/** More faults than these in one group are not of its writes but of the database: the group fails. */
const maxFaults = 20;

/** A queued write. `attempt` may be called again after a rollback; only the last result counts. */
interface Write {
  attempt(): void;
  /** It cannot be stored, whatever else is: further attempts of its group leave it out. */
  giveUp(fault: StoreError): void;
  settle(failure: StoreError | undefined): void;
}

/**
 * Writes of one turn of the event loop share a transaction and one fsync, across all sessions (DUR8). Each has its own
 * result: a write that throws a StoreError changes nothing, and the others are stored. One that throws anything else costs a
 * rollback, after which the group is tried again without it.
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
    setImmediate(() => this.#commit(this.#takeGroup(), { tries: 0, faults: 0 }));
  }

  #takeGroup(): Write[] {
    const group = this.#waiting;
    this.#waiting = [];
    return group;
  }

  #commit(group: readonly Write[], { tries, faults }: { tries: number; faults: number }): void {
    let current: Write | undefined;
    try {
      this.#transact(() => {
        for (current of group) current.attempt();
        current = undefined; // from here on it is about all of them
      });
    } catch (error) {
      const failure = error instanceof StoreError ? error : new StoreError('failed', String(error), { cause: error });
      if (failure.code === 'failed' && current && faults < maxFaults) {
        current.giveUp(failure);
        this.#commit(group, { tries, faults: faults + 1 });
        return;
      }
      const delay = failure.code === 'busy' ? retryDelaysMs[tries] : undefined;
      if (delay === undefined) this.#settle(group, failure);
      else setTimeout(() => this.#commit(group, { tries: tries + 1, faults }), delay); // later writes wait, which keeps the order
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
  let fault: StoreError | undefined;
  return {
    attempt() {
      if (fault) return;
      refusal = undefined;
      try {
        value = change();
      } catch (error) {
        if (!(error instanceof StoreError)) throw error; // how far it got is unknown: only a rollback undoes it
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
