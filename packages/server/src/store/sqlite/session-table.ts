import {
  type Head,
  type Seq,
  type Session,
  type SessionFilter,
  type SessionId,
  type SessionRecord,
  StoreError,
} from '@parley/core';
import type { Database, Statement } from './open.ts';

/** Where a session's next event goes. */
export interface Place {
  readonly key: number;
  seq: Seq;
}

interface Row {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly permission_mode: string;
  readonly status: Session['status'];
  readonly open_count: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly seq: number;
  readonly head: string | null;
}

interface Staged {
  session: Session;
  head: string | undefined;
}

/** So many places are kept; then all are read anew. */
const maxPlaces = 100_000;

/**
 * Rows of sessions. Places are remembered, so that no append reads, and a group writes each row once: `flush` ends a
 * transaction, `reset` follows its rollback, and what is remembered is never ahead of the database.
 */
export class SessionTable {
  readonly #places = new Map<SessionId, Place>();
  readonly #staged = new Map<Place, Staged>();
  readonly #locate: Statement<Place>;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #updateHead: Statement;
  readonly #get: Statement<Row>;
  readonly #list: Statement<Row>;
  readonly #listUnfinished: Statement<Row>;
  readonly #remove: readonly Statement[];

  constructor(db: Database) {
    db.function('fold', { deterministic: true }, (text) => String(text).toLowerCase());
    const page = `updated_at < coalesce(?, '~') and (? is null or instr(fold(title), fold(?)) > 0)
      order by updated_at desc, key desc limit coalesce(?, -1)`;
    this.#locate = db.prepare('select key, seq from sessions where id = ?');
    this.#insert = db.prepare(
      `insert into sessions (id, title, agent, permission_mode, status, open_count, created_at, updated_at, seq)
       values (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    );
    const columns = 'title = ?, agent = ?, permission_mode = ?, status = ?, open_count = ?, updated_at = ?, seq = ?';
    this.#update = db.prepare(`update sessions set ${columns} where key = ?`);
    this.#updateHead = db.prepare(`update sessions set ${columns}, head = ? where key = ?`);
    this.#get = db.prepare('select * from sessions where id = ?');
    this.#list = db.prepare(`select * from sessions where ${page}`);
    this.#listUnfinished = db.prepare(`select * from sessions where (status <> 'idle' or open_count > 0) and ${page}`);
    this.#remove = [
      'sessions where id',
      "grants where scope <> 'always' and session_id",
      'plugin_state where session_id',
    ].map((rows) => db.prepare(`delete from ${rows} = ?`));
  }

  locate(id: SessionId): Place | undefined {
    const known = this.#places.get(id);
    if (known) return known;
    const place = this.#locate.get(id);
    if (place) this.#places.set(id, place);
    return place;
  }

  create(session: Session): void {
    const { id, title, agent, permissionMode, status, openCount, createdAt, updatedAt } = session;
    if (this.locate(id)) throw new StoreError('conflict', `There is a session ${id} already.`);
    this.#insert.run(id, title, agent, permissionMode, status, openCount, createdAt, updatedAt);
  }

  /** Events and records go by their foreign key. */
  remove(id: SessionId): void {
    const place = this.#places.get(id);
    if (place) this.#staged.delete(place);
    this.#places.delete(id);
    for (const statement of this.#remove) statement.run(id);
  }

  /** The row as it will stand when the transaction ends. An undefined `head` leaves the cached one. */
  stage(place: Place, session: Session, head: string | undefined): void {
    const staged = this.#staged.get(place);
    if (!staged) {
      this.#staged.set(place, { session, head });
      return;
    }
    staged.session = session;
    staged.head = head ?? staged.head;
  }

  flush(): void {
    for (const [place, { session, head }] of this.#staged) {
      const { title, agent, permissionMode, status, openCount, updatedAt } = session;
      const { key, seq } = place;
      if (head === undefined) this.#update.run(title, agent, permissionMode, status, openCount, updatedAt, seq, key);
      else this.#updateHead.run(title, agent, permissionMode, status, openCount, updatedAt, seq, head, key);
    }
    this.#staged.clear();
    if (this.#places.size > maxPlaces) this.#places.clear();
  }

  reset(): void {
    this.#staged.clear();
    this.#places.clear();
  }

  get(id: SessionId): SessionRecord | undefined {
    const row = this.#get.get(id);
    return row && toRecord(row);
  }

  list({ before, query, limit, unfinished }: SessionFilter): SessionRecord[] {
    const text = query || null;
    const statement = unfinished ? this.#listUnfinished : this.#list;
    return statement.all(before ?? null, text, text, limit ?? null).map(toRecord);
  }
}

function toRecord(row: Row): SessionRecord {
  const { id, title, agent, status, seq } = row;
  const session: Session = {
    id,
    title,
    agent,
    permissionMode: row.permission_mode,
    status,
    openCount: row.open_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    seq,
  };
  return { session, head: row.head === null ? undefined : (JSON.parse(row.head) as Head) };
}
