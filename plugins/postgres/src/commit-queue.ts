import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@parleyhq/core';
import { isOfStatement, isUniqueViolation, type Sql, toStoreError } from './database.ts';
import { Group, type Locks, type Writer } from './group.ts';

/** Milliseconds between attempts where another transaction was in the way. */
const retryDelaysMs = [5, 25, 100, 200, 400];

/** More faults than these in one group are not of its writes but of the database: the group fails. */
const maxFaults = 20;

/** A queued write. `attempt` may be called again after a rollback; only the last result counts. */
interface Write {
  readonly locks: Locks;
  attempt(group: Group): Promise<void>;
  /** It cannot be stored, whatever else is: further attempts of its group leave it out. */
  giveUp(fault: StoreError): void;
  settle(failure: StoreError | undefined): void;
}

/**
 * Writes of one turn of the event loop share a transaction, across all sessions (DUR8). Each has its own result: a write
 * that is refused with a StoreError has changed nothing, and the others are stored. A statement that the database refuses
 * costs a rollback, after which the group is tried again without its write.
 */
export class CommitQueue {
  readonly #sql: Sql;
  readonly #writer: Writer;
  readonly #onCommit: (group: Group) => void;
  #waiting: Write[] = [];
  #draining: Promise<void> | undefined;
  #isClosed = false;

  /** @param onCommit - called after each group, before its writes are settled */
  constructor(sql: Sql, writer: Writer, onCommit: (group: Group) => void) {
    this.#sql = sql;
    this.#writer = writer;
    this.#onCommit = onCommit;
  }

  /** Resolves when `change` is durable. Writes run and settle in order. */
  write<Value>(locks: Locks, change: (group: Group) => Promise<Value>): Promise<Value> {
    if (this.#isClosed) return Promise.reject(new StoreError('failed', 'The store is closed.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push(makeWrite(locks, change, resolve, reject));
      this.#draining ??= this.#drain();
    });
  }

  /** Refuses further writes and resolves when earlier ones are settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const writes = this.#waiting;
      this.#waiting = [];
      const failure = await this.#commit(writes);
      for (const write of writes) write.settle(failure);
    }
    this.#draining = undefined;
  }

  async #commit(writes: readonly Write[]): Promise<StoreError | undefined> {
    for (let tries = 0, faults = 0; ; ) {
      let current: Write | undefined;
      try {
        const committed = await this.#sql.begin(async (sql) => {
          const group = await Group.begin(
            sql,
            this.#writer,
            writes.map(({ locks }) => locks),
          );
          for (current of writes) await current.attempt(group);
          current = undefined; // from here on it is about all of them
          return group;
        });
        this.#onCommit(committed);
        return undefined;
      } catch (error) {
        const failure = toStoreError(error);
        const isRace = failure.code === 'busy' || (isUniqueViolation(error) && tries === 0);
        const delayMs = isRace ? retryDelaysMs[tries] : undefined;
        tries += 1;
        if (delayMs !== undefined) await sleep(delayMs);
        else if (current && isOfStatement(error) && faults < maxFaults) {
          current.giveUp(failure);
          faults += 1;
        } else return failure;
      }
    }
  }
}

function makeWrite<Value>(
  locks: Locks,
  change: (group: Group) => Promise<Value>,
  resolve: (value: Value) => void,
  reject: (error: StoreError) => void,
): Write {
  let value: Value;
  let refusal: StoreError | undefined;
  let fault: StoreError | undefined;
  return {
    locks,
    async attempt(group) {
      if (fault) return;
      refusal = undefined;
      try {
        value = await change(group);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error; // the transaction is void
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
