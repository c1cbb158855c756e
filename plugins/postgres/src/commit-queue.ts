import { setTimeout as sleep } from 'node:timers/promises';
import { type Append, StoreError } from '@parleyhq/core';
import { Batch } from './batch.ts';
import { Credentials } from './credentials.ts';
import { isOfStatement, isUniqueViolation, type Sql, toStoreError, transact } from './database.ts';
import { SessionKeys } from './session-keys.ts';
import { type Committed, type Locks, type Writer, WriteTransaction } from './write-transaction.ts';

/** Milliseconds before each further attempt after a conflict with another transaction. */
const retryDelaysMs = [5, 25, 100, 200, 400];

/**
 * With more failed statements than this in one group, the cause is not a single write but the database: the whole group fails.
 */
const maxFaults = 20;

/** A queued write. `attempt` may be called again after a rollback; only the last result counts. */
interface Write {
  readonly locks: Locks;
  /** Returns the append if one statement can store it; undefined for other writes. */
  readonly plain: (() => Append | undefined) | undefined;
  attempt(group: WriteTransaction): Promise<void>;
  /** Marks the write as failed by itself: further attempts of its group leave it out. */
  giveUp(fault: StoreError): void;
  settle(failure: StoreError | undefined): void;
}

/**
 * Appends of one turn of the event loop share a transaction, across all sessions, and so do the writes between them (DUR8). Each
 * has its own result: a write that is rejected with a StoreError has changed nothing, and the others are stored. If the database
 * rejects a statement, the transaction is rolled back and repeated without that write.
 */
export class CommitQueue {
  readonly #sql: Sql;
  readonly #writer: Writer;
  readonly #onCommit: (committed: Committed) => void;
  readonly #places = new SessionKeys();
  #waiting: Write[] = [];
  #draining: Promise<void> | undefined;
  #isClosed = false;

  /** @param onCommit - called after each group, before its writes are settled */
  constructor(sql: Sql, writer: Writer, onCommit: (committed: Committed) => void) {
    this.#sql = sql;
    this.#writer = writer;
    this.#onCommit = onCommit;
  }

  /**
   * Resolves when `change` is durable. Writes run and settle in order.
   * @param plain - the same change, if it is an append that one statement can store, with others or alone
   */
  write<Value>(
    locks: Locks,
    change: (group: WriteTransaction) => Promise<Value>,
    plain?: () => Append | undefined,
  ): Promise<Value> {
    if (this.#isClosed) return Promise.reject(new StoreError('failed', 'The store is closed.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ plain, ...makeWrite(locks, change, resolve, reject) });
      this.#draining ??= this.#drain();
    });
  }

  /** Rejects further writes and resolves when earlier ones are settled. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const writes = this.#waiting;
      this.#waiting = [];
      for (const group of groupsOf(writes)) {
        const failure = await this.#commit(group);
        for (const write of group) write.settle(failure);
      }
    }
    this.#draining = undefined;
  }

  async #commit(writes: readonly Write[]): Promise<StoreError | undefined> {
    try {
      if (await this.#storeAtOnce(writes)) return undefined;
    } catch (error) {
      const failure = toStoreError(error);
      if (failure.code !== 'busy' && !isOfStatement(error)) return failure;
    }
    return this.#transact(writes);
  }

  /**
   * Stores a group with one statement and so one round trip, which works for most: appends without a conflict.
   * @returns false if nothing was stored: a transaction must then find out which of the writes can be
   */
  async #storeAtOnce(writes: readonly Write[]): Promise<boolean> {
    const [sql, batch, credentials] = [this.#sql, new Batch(), new Credentials()];
    for (const { plain } of writes) {
      const change = plain?.();
      const place = change && this.#places.get(change.sessionId);
      if (!place || !batch.add(change, place)) return false;
      if (change.authority) credentials.add(change.authority);
    }
    const isStored = await batch.store(sql, sql`${this.#writer.history.holds(sql)} and ${credentials.hold(sql)}`);
    if (!isStored) return false;
    for (const [id, place] of batch.places) this.#places.learn(id, place);
    this.#onCommit({ grown: batch.grown, isNews: false });
    return true;
  }

  /** Runs the writes one after the other in one transaction, each with its own checks. */
  async #transact(writes: readonly Write[]): Promise<StoreError | undefined> {
    for (let tries = 0, faults = 0; ; ) {
      let current: Write | undefined;
      try {
        const committed = await transact(this.#sql, async (sql) => {
          const group = await WriteTransaction.begin(
            sql,
            this.#writer,
            writes.map(({ locks }) => locks),
          );
          for (current of writes) await current.attempt(group);
          current = undefined; // errors of the commit concern all writes
          return group;
        });
        for (const [id, end] of committed.ends) this.#places.learn(id, end);
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

/** Separates appends from other writes, which would prevent storing them with one statement. */
function groupsOf(writes: readonly Write[]): Write[][] {
  const groups: Write[][] = [];
  for (const write of writes) {
    const group = groups.at(-1);
    if (group && !group[0]?.plain === !write.plain) group.push(write);
    else groups.push([write]);
  }
  return groups;
}

function makeWrite<Value>(
  locks: Locks,
  change: (group: WriteTransaction) => Promise<Value>,
  resolve: (value: Value) => void,
  reject: (error: StoreError) => void,
): Omit<Write, 'plain'> {
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
        if (!(error instanceof StoreError)) throw error; // the transaction is rolled back
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
