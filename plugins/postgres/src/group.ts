import type { AuditEntry, AuditPower, Seq, SessionId } from '@parleyhq/core';
import { serverChain } from '@parleyhq/core';
import { chain, chainStart, type Link } from '@parleyhq/server/store';
import type { Transaction } from './database.ts';
import type { History } from './history.ts';

/** Where a session's next event goes. Its row is locked as long as the group lasts. */
export interface LogEnd {
  readonly key: number;
  seq: Seq;
  /** The end of its audit chain, once it was read. */
  audited?: Link;
}

/** What a write touches, so that every group takes its locks in one order. */
export interface Locks {
  readonly sessions?: readonly SessionId[];
  /** It adds rows to the chain of the whole server, or depends on what those who do so change. */
  readonly isPower?: boolean;
}

/** What a node has stored. */
export interface Committed {
  /** Where each log ends that grew. */
  readonly grown: ReadonlyMap<SessionId, Seq>;
  /** There is more that other nodes are to hear of. */
  readonly isNews: boolean;
}

/** A process that writes: what it knew of the database when it opened it, and its name in news. */
export interface Writer {
  readonly history: History;
  readonly name: string;
}

/** Of the advisory locks of one database: this one is the chain of the whole server. */
const powerLock = 7_420_001;

/** One transaction: writes that were asked for in one turn of the event loop. */
export class Group implements Committed {
  readonly sql: Transaction;
  readonly #sender: string;
  readonly #told = new Set<string>();
  /** Of the sessions that its writes are about. */
  readonly ends = new Map<SessionId, LogEnd>();
  #power: Link | undefined;
  readonly grown = new Map<SessionId, Seq>();
  /** Lineages of appends that were refused in it. */
  readonly broken = new Set<object>();
  isNews = false;

  private constructor(sql: Transaction, sender: string) {
    this.sql = sql;
    this.#sender = sender;
  }

  /**
   * Locks the rows in the order of their ids, so that no two groups wait for each other.
   * @throws StoreError `failed` where the database is another than it was
   */
  static async begin(sql: Transaction, { history, name }: Writer, locks: readonly Locks[]): Promise<Group> {
    const group = new Group(sql, name);
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

  /** For other nodes, once a group: what they hold in memory of it is old. */
  async tell(what: 'grants' | 'devices', session?: SessionId): Promise<void> {
    const about = session === undefined ? null : JSON.stringify(session);
    const key = `${what} ${about}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    await this.sql`insert into session_news (what, session, sender) values (${what}, ${about}, ${this.#sender})`;
    this.isNews = true;
  }

  /** A row of a session's chain (SEC7). */
  async audit(id: SessionId, place: LogEnd, entry: AuditEntry): Promise<void> {
    place.audited = await this.#link(id, place.audited, entry);
  }

  /** A row of the chain of the whole server. */
  async auditPower(entry: AuditPower): Promise<void> {
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
