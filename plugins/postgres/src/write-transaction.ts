import type { AuditAccess, AuditEntry, Seq, SessionId } from '@parleyhq/core';
import { serverChain } from '@parleyhq/core';
import { chain, chainStart, type Link } from '@parleyhq/store-kit';
import type { Transaction } from './database.ts';
import type { History } from './history.ts';

/** The end of a session's log. The session's row is locked until the transaction ends. */
export interface LogEnd {
  readonly key: number;
  seq: Seq;
  /** The end of its audit chain, once that was read. */
  audited?: Link;
}

/** What a write changes, so that all transactions take their locks in the same order. */
export interface Locks {
  readonly sessions?: readonly SessionId[];
  /** Whether the write adds to the server's audit chain, or depends on data that such writes change. */
  readonly isPower?: boolean;
}

/** The result of a committed transaction. */
export interface Committed {
  /** The new end of each log that received events. */
  readonly grown: ReadonlyMap<SessionId, Seq>;
  /** Whether it has other changes of which other nodes must be notified. */
  readonly isNews: boolean;
}

/** A process that writes: the database that it opened, and its name in notifications. */
export interface Writer {
  readonly history: History;
  readonly name: string;
}

/** The advisory lock of the server's audit chain. */
const powerLock = 7_420_001;

/** One transaction with the writes of one turn of the event loop. */
export class WriteTransaction implements Committed {
  readonly sql: Transaction;
  readonly #sender: string;
  readonly #told = new Set<string>();
  /** The log ends of the sessions that are written. */
  readonly ends = new Map<SessionId, LogEnd>();
  #power: Link | undefined;
  readonly grown = new Map<SessionId, Seq>();
  /** Lineages of appends that were rejected in this transaction. */
  readonly broken = new Set<object>();
  isNews = false;

  private constructor(sql: Transaction, sender: string) {
    this.sql = sql;
    this.#sender = sender;
  }

  /**
   * Begins by locking rows in the order of their ids, so that no two transactions wait for each other.
   * @throws StoreError `failed` if the database was replaced
   */
  static async begin(sql: Transaction, { history, name }: Writer, locks: readonly Locks[]): Promise<WriteTransaction> {
    const group = new WriteTransaction(sql, name);
    const ids = [...new Set(locks.flatMap(({ sessions = [] }) => sessions))];
    const [places] = await Promise.all([
      ids.length === 0
        ? []
        : sql<{ id: SessionId; key: number; seq: Seq }[]>`
            select id, key, seq from sessions where id = any(${ids}) order by id for update`,
      history.require(sql),
    ]);
    for (const { id, key, seq } of places) group.ends.set(id, { key, seq });
    if (locks.some(({ isPower }) => isPower)) await sql`select pg_advisory_xact_lock(${powerLock})`;
    return group;
  }

  locate(id: SessionId): LogEnd | undefined {
    return this.ends.get(id);
  }

  added(id: SessionId, key: number): LogEnd {
    const place = { key, seq: 0 };
    this.ends.set(id, place);
    return place;
  }

  removed(id: SessionId): void {
    this.ends.delete(id);
  }

  /** Notifies other nodes, once per transaction, that their copies in memory are out of date. */
  async tell(what: 'grants' | 'devices', session?: SessionId): Promise<void> {
    const about = session === undefined ? null : JSON.stringify(session);
    const key = `${what} ${about}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    await this.sql`insert into session_news (what, session, sender) values (${what}, ${about}, ${this.#sender})`;
    this.isNews = true;
  }

  /** Adds a row to a session's audit chain (SEC7). */
  async audit(id: SessionId, place: LogEnd, entry: AuditEntry): Promise<void> {
    place.audited = await this.#link(id, place.audited, entry);
  }

  /** Adds a row to the server's audit chain. */
  async auditAccess(entry: AuditAccess): Promise<void> {
    this.#power = await this.#link(serverChain, this.#power, entry);
  }

  async #link(id: SessionId, known: Link | undefined, entry: AuditEntry): Promise<Link> {
    const { sql } = this;
    const [last = chainStart] =
      known === undefined
        ? await sql<Link[]>`select n, hash from audit where session_id = ${id} order by n desc limit 1`
        : [known];
    const row = chain(id, last, entry);
    await sql`insert into audit (session_id, n, text, hash) values (${id}, ${row.n}, ${row.text}, ${row.hash})`;
    return row;
  }
}
