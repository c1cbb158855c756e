import {
  type AuditDeletion,
  type Creation,
  foldText,
  type Head,
  type HeadCache,
  type Removal,
  type Session,
  type SessionFilter,
  type SessionId,
  type SessionKind,
  type SessionOwner,
  type SessionRecord,
  type SessionStore,
  StoreError,
} from '@parleyhq/core';
import {
  deletedSession,
  grantRevoked,
  refuseChannel,
  requireRoom,
  type SessionRow,
  toRecord,
} from '@parleyhq/store-kit';
import type { CommitQueue } from './commit-queue.ts';
import { requireAuthority } from './credentials.ts';
import { lookUp, type Query, type Sql } from './database.ts';
import { minuteOf } from './minute.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** The ports of sessions and of their cached heads, over one table. */
export class Sessions implements SessionStore, HeadCache {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  create(session: Session, { opening, authority, maker }: Creation = {}): Promise<void> {
    const { id, channel } = session;
    return this.#queue.write({ sessions: [id] }, async (group) => {
      const { sql } = group;
      await requireAuthority(sql, authority);
      if (maker) await requireOwnRoom(sql, maker);
      if (group.locate(id)) throw new StoreError('conflict', `There is a session ${id} already.`);
      const [row] = await insertSession(sql, session, maker?.person);
      if (!row)
        throw channel ? refuseChannel(channel) : new StoreError('conflict', `There is a session ${id} already.`);
      const place = group.added(id, row.key);
      await tellOf(group, 'created', session);
      if (opening) await group.audit(id, place, opening);
    });
  }

  async get(sessionId: SessionId): Promise<SessionRecord | undefined> {
    const [row] = await lookUp(() => this.#sql<SessionRow[]>`select * from sessions where id = ${sessionId}`);
    return row && toRecord(row);
  }

  async *unfinished(): AsyncIterable<readonly SessionRecord[]> {
    const sql = this.#sql;
    const rows = await lookUp(() => sql<SessionRow[]>`select * from sessions where unfinished`);
    yield rows.map(toRecord);
  }

  async list(filter: SessionFilter): Promise<readonly SessionRecord[]> {
    const sql = this.#sql;
    const { before, beforeId = '', query, limit = null, only, ids } = filter;
    const isOlder =
      before === undefined
        ? sql`true`
        : sql`updated_minute <= ${minuteOf(before)}
            and (updated_at < ${before} or (updated_at = ${before} and id < ${beforeId}))`;
    const rows = await lookUp(
      () => sql<SessionRow[]>`
        select * from sessions where ${isOlder} and ${isKind(sql, only)}
        and ${ids === undefined ? sql`true` : sql`id = any(${[...ids]})`}
        and ${query === undefined ? sql`true` : sql`strpos(folded, ${foldText(query)}) > 0`}
        order by updated_minute desc, updated_at desc, id desc limit ${limit}`,
    );
    return rows.map(toRecord);
  }

  async save(sessionId: SessionId, head: Head): Promise<void> {
    const text = JSON.stringify(head);
    return this.#queue.write({ sessions: [sessionId] }, async (group) => {
      const place = group.locate(sessionId);
      if (place?.seq === head.seq) await group.sql`update sessions set head = ${text} where key = ${place.key}`;
    });
  }

  remove(sessionId: SessionId, deletion: AuditDeletion, { authority, seq }: Removal = {}): Promise<void> {
    return this.#queue.write({ sessions: [sessionId], isPower: true }, async (group) => {
      const { sql } = group;
      await requireAuthority(sql, authority);
      const place = group.locate(sessionId);
      if (!place) return;
      if (seq !== undefined && seq !== place.seq) throw new StoreError('conflict', 'The session has grown.');
      await group.audit(sessionId, place, deletion);
      const { key } = place;
      await sql`
        update deliveries set session = ${deletedSession}, interaction_id = ${`${sessionId} `} || interaction_id
        where session = ${key} and state in ('due', 'sent') and details::json -> 'message' is not null`;
      const [, , , , , , , [row], , gone] = await Promise.all([
        sql`delete from events where session = ${key}`,
        sql`delete from records where session = ${key}`,
        sql`delete from outside_calls where session = ${key}`,
        sql`delete from deliveries where session = ${key}`,
        sql`delete from counted_sessions where session = ${key}`,
        sql`delete from counted_cases where session = ${key}`,
        sql`delete from counted_hidden_calls where session = ${key}`,
        sql<SessionRow[]>`delete from sessions where key = ${key} returning *`,
        sql`delete from plugin_state where session_id = ${sessionId}`,
        sql<{ id: string }[]>`
          delete from grants where scope <> 'always' and session_id = ${sessionId} returning id`,
      ]);
      group.removed(sessionId);
      if (row) await tellOf(group, 'deleted', toRecord(row).session);
      for (const { id } of gone) await group.auditAccess(grantRevoked(id, 'session_deleted'));
    });
  }
}

/** Notifies other nodes, which keep lists of sessions. */
async function tellOf(group: WriteTransaction, what: 'created' | 'deleted', session: Session): Promise<void> {
  await group.sql`insert into session_news (what, session) values (${what}, ${JSON.stringify(session)})`;
  group.isNews = true;
}

function insertSession(sql: Query, session: Session, maker: string | undefined) {
  const { id, title, agent, permissionMode, status, openCount, createdAt, updatedAt, channel } = session;
  return sql<{ key: number }[]>`
    insert into sessions (id, title, folded, agent, permission_mode, status, open_count, created_at, updated_at,
      updated_minute, maker, channel_principal, channel)
    values (${id}, ${title}, ${title.toLowerCase()}, ${agent}, ${permissionMode}, ${status}, ${openCount}, ${createdAt},
      ${updatedAt}, ${minuteOf(updatedAt)}, ${maker ?? null}, ${channel?.principal ?? null}, ${channel?.name ?? null})
    on conflict do nothing returning key`;
}

/**
 * Enforces a person's quota. An advisory lock makes transactions of all nodes count that person's sessions one at a time (SEC11).
 */
async function requireOwnRoom(sql: Query, maker: SessionOwner): Promise<void> {
  if (maker.most === undefined) return;
  const { person } = maker;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`maker ${person}`}, 0))`;
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from sessions where maker = ${person}`;
  requireRoom(maker, () => row?.count ?? 0);
}

function isKind(sql: Query, kind: SessionKind | undefined) {
  switch (kind) {
    case 'current':
      return sql`not archived`;
    case 'archived':
      return sql`archived`;
    case 'pinned':
      return sql`pinned and not archived`;
    case undefined:
      return sql`true`;
    default:
      return kind satisfies never;
  }
}
