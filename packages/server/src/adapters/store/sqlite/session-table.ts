import {
  foldText,
  type Seq,
  type Session,
  type SessionFilter,
  type SessionId,
  type SessionKind,
  type SessionRecord,
  StoreError,
} from '@parleyhq/core';
import { deletedSession, type Link, refuseChannel, type SessionRow, toRecord } from '@parleyhq/store-kit';
import { type Database, isUniqueViolation, pluck, type Statement } from './database.ts';
import type { EpochMark } from './epoch-mark.ts';

/** The end of a session's log, as cached. */
export interface LogEnd {
  readonly key: number;
  seq: Seq;
  /** End of its audit chain, if it was extended since this was cached. */
  audited?: Link;
  /** The row as last written, if it was written since this was cached. */
  session?: Session;
}

/** Maximum number of cached ends of logs; above it, all are dropped. */
const maxPlaces = 10_000;

/**
 * Rows of sessions. The ends of their logs are cached, so appends need not read, and a batch writes each row once. `flush` ends a
 * transaction and `reset` follows a rollback, so the cache is never ahead of the database.
 */
export class SessionTable {
  readonly #mark: EpochMark;
  readonly #places = new Map<SessionId, LogEnd>();
  readonly #staged = new Map<LogEnd, Session>();
  readonly #locate: Statement<LogEnd>;
  readonly #insert: Statement;
  readonly #countOf: Statement<number>;
  readonly #touch: Statement;
  readonly #update: Statement;
  readonly #setHead: Statement;
  readonly #get: Statement<SessionRow>;
  readonly #list: Statement<SessionRow>;
  readonly #lists: { readonly [Kind in SessionKind]: Statement<SessionRow> };
  readonly #unfinishedKeys: Statement<number>;
  readonly #listByKeys: Statement<SessionRow>;
  readonly #keepDeliveries: Statement;
  readonly #removeRows: readonly Statement[];
  readonly #removeState: Statement;
  readonly #removeGrants: Statement<string>;

  constructor(db: Database, mark: EpochMark) {
    this.#mark = mark;
    db.function('fold', { deterministic: true }, (text) => foldText(String(text)));
    const page = `($ids is null or id in (select value from json_each($ids))) and updated_minute <= $minute
      and (updated_at < $before or (updated_at = $before and id < $beforeId)) and instr(fold(title), fold($query)) > 0
      order by updated_minute desc, updated_at desc, id desc limit $limit`;
    this.#locate = db.prepare('select key, seq from sessions where id = ?');
    this.#insert = db.prepare(
      `insert into sessions (id, title, agent, permission_mode, status, open_count, created_at, updated_at, updated_minute, maker,
       channel_principal, channel, seq) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    );
    this.#countOf = db.prepare<unknown[], number>('select count(*) from sessions where maker = ?').pluck();
    this.#touch = db.prepare('update sessions set updated_at = ?, seq = ? where key = ?');
    this.#update = db.prepare(
      `update sessions set title = ?, agent = ?, permission_mode = ?, status = ?, open_count = ?, updated_at = ?,
       updated_minute = ?, seq = ?, pinned = ?, archived = ? where key = ?`,
    );
    this.#setHead = db.prepare('update sessions set head = ? where key = ?');
    this.#get = db.prepare('select * from sessions where id = ?');
    this.#list = db.prepare(`select * from sessions where ${page}`);
    const listWhere = (kind: string) =>
      db.prepare<unknown[], SessionRow>(`select * from sessions where (${kind}) and ${page}`);
    this.#lists = {
      current: listWhere('archived = 0'),
      archived: listWhere('archived = 1'),
      pinned: listWhere('pinned = 1 and archived = 0'),
    };
    const keys = "select key from sessions where status <> 'idle' or open_count > 0";
    this.#unfinishedKeys = db.prepare<unknown[], number>(keys).pluck();
    this.#listByKeys = db.prepare('select * from sessions where key in (select value from json_each(?))');
    this.#keepDeliveries = db.prepare(
      `update deliveries set session = ${deletedSession}, interaction_id = ? || ' ' || interaction_id
       where session = ? and state in ('due', 'sent') and json_extract(details, '$.message') is not null`,
    );
    const counted = ['counted_cases', 'counted_hidden_calls', 'counted_days'];
    const own = ['events', 'records', 'outside_calls', 'deliveries', ...counted].map(
      (table) => `${table} where session`,
    );
    this.#removeRows = [...own, 'sessions where key'].map((rows) => db.prepare(`delete from ${rows} = ?`));
    this.#removeState = db.prepare('delete from plugin_state where session_id = ?');
    this.#removeGrants = pluck(db, "delete from grants where scope <> 'always' and session_id = ? returning id");
  }

  locate(id: SessionId): LogEnd | undefined {
    const known = this.#places.get(id);
    if (known) return known;
    if (this.#places.size >= maxPlaces && this.#staged.size === 0) this.#places.clear();
    const place = this.#locate.get(id);
    if (place) this.#places.set(id, place);
    return place;
  }

  create(session: Session, maker?: string): void {
    const { id, title, agent, permissionMode, status, openCount, createdAt, updatedAt, channel } = session;
    if (this.locate(id)) throw new StoreError('conflict', `There is a session ${id} already.`);
    const minute = minuteOf(updatedAt);
    const named = channel ? [channel.principal, channel.name] : [null, null];
    const row = [id, title, agent, permissionMode, status, openCount, createdAt, updatedAt, minute, maker ?? null];
    try {
      this.#insert.run(...row, ...named);
    } catch (error) {
      throw channel && isUniqueViolation(error) ? refuseChannel(channel) : error;
    }
  }

  /** Returns how many sessions a person created. */
  countOf(person: string): number {
    return this.#countOf.get(person) ?? 0;
  }

  /** Deletes the session with everything that belongs to it, except messages that must still be changed. @returns the ids of its grants */
  remove(id: SessionId): readonly string[] {
    const place = this.locate(id);
    if (!place) return [];
    this.#keepDeliveries.run(id, place.key);
    for (const statement of this.#removeRows) statement.run(place.key);
    this.#mark.keepFloor();
    this.#removeState.run(id);
    this.#staged.delete(place);
    this.#places.delete(id);
    return this.#removeGrants.all(id);
  }

  /** Sets the row that `flush` will write. */
  stage(place: LogEnd, session: Session): void {
    this.#staged.set(place, session);
  }

  /** Call within a write. */
  cacheHead({ key }: LogEnd, head: string): void {
    this.#setHead.run(head, key);
  }

  flush(): void {
    for (const [place, session] of this.#staged) {
      const { title, agent, permissionMode, status, openCount, updatedAt, pinned, archived } = session;
      const { key, seq } = place;
      if (place.session && isAlike(place.session, session)) this.#touch.run(updatedAt, seq, key);
      else {
        const row = [title, agent, permissionMode, status, openCount, updatedAt, minuteOf(updatedAt), seq];
        this.#update.run(...row, pinned ? 1 : 0, archived ? 1 : 0, key);
      }
      place.session = session;
    }
    this.#staged.clear();
  }

  reset(): void {
    this.#staged.clear();
    this.#places.clear();
  }

  get(id: SessionId): SessionRecord | undefined {
    const row = this.#get.get(id);
    return row && toRecord(row);
  }

  /** Returns the keys of the sessions with a running turn or an open prompt. */
  unfinishedKeys(): readonly number[] {
    return this.#unfinishedKeys.all();
  }

  listByKeys(keys: readonly number[]): SessionRecord[] {
    return this.#listByKeys.all(JSON.stringify(keys)).map(toRecord);
  }

  list({ before = '~', beforeId = '', query = '', limit = -1, only, ids }: SessionFilter): SessionRecord[] {
    const statement = only === undefined ? this.#list : this.#lists[only];
    const named = ids === undefined ? null : JSON.stringify(ids);
    return statement.all({ before, beforeId, minute: minuteOf(before), query, limit, ids: named }).map(toRecord);
  }
}

/** Whether no indexed or large column differs, as is the case after most events. */
function isAlike(a: Session, b: Session): boolean {
  return (
    a.status === b.status &&
    a.openCount === b.openCount &&
    a.title === b.title &&
    a.agent === b.agent &&
    a.permissionMode === b.permissionMode &&
    a.pinned === b.pinned &&
    a.archived === b.archived &&
    minuteOf(a.updatedAt) === minuteOf(b.updatedAt)
  );
}

/** Returns the index key of lists. Rows within a minute are sorted when read. */
function minuteOf(timestamp: string): string {
  return timestamp.slice(0, 'yyyy-mm-ddThh:mm'.length);
}
