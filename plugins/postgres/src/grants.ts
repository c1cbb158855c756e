import {
  type ApprovalScope,
  type GivenBy,
  type Grant,
  type GrantChoice,
  type GrantFilter,
  type GrantNote,
  type GrantStore,
  type Instant,
  type Revocation,
  resultKey,
  ruleGrantPrefix,
  type SessionId,
  type UsedGrants,
} from '@parleyhq/core';
import {
  type GrantRow,
  grantNews,
  grantRevoked,
  requireGrants,
  requireOpenCall,
  revocation,
  signerOf,
  toGrant,
} from '@parleyhq/store-kit';
import type { CommitQueue } from './commit-queue.ts';
import { requireAuthority } from './credentials.ts';
import { lookUp, type Query, type Sql } from './database.ts';
import { requireGiver } from './passkeys.ts';
import { putRecord } from './records.ts';
import type { WriteTransaction } from './write-transaction.ts';

type Gone = { readonly id: string }[];

/** Stored approvals (APR1). */
export class Grants implements GrantStore {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  put(grant: Grant, note?: GrantNote, given?: GivenBy): Promise<void> {
    return this.#queue.write({ ...noteLock(note), isPower: true }, async (group) => {
      await requireAuthority(group.sql, given);
      await requireGiver(group.sql, grant, given);
      await requireOpen(group, note);
      await storeGrant(group, grant);
      await recordNote(group, note, grant.scope);
    });
  }

  take({ among, ...wish }: GrantChoice, now: Instant, note?: GrantNote): Promise<Grant | undefined> {
    return this.#queue.write({ ...noteLock(note), isPower: true }, async (group) => {
      const { sql } = group;
      await requireOpen(group, note);
      const isChosen = among === undefined ? sql`true` : sql`id = any(${[...among]})`;
      const [row] = await sql<GrantRow[]>`
        select * from grants where plugin = ${wish.plugin} and key = ${wish.key} and ${applying(sql, wish.sessionId, now)}
        and ${isChosen} order by case scope when 'once' then 0 when 'session' then 1 else 2 end, position limit 1`;
      if (!row) return undefined;
      if (row.scope === 'once') await sql`delete from grants where id = ${row.id}`;
      else await sql`update grants set uses = uses + 1 where id = ${row.id}`;
      await recordNote(group, note, row.scope);
      await group.tell('grants', row.session_id ?? undefined);
      const grant = toGrant({ ...row, uses: row.uses + 1 });
      await group.auditAccess(grantNews('grant_used', { ...grant, sessionId: wish.sessionId }));
      return grant;
    });
  }

  async list(now: Instant, filter: GrantFilter = {}): Promise<readonly Grant[]> {
    const sql = this.#sql;
    const { plugin, key, sessionId, limit = null, isRule } = filter;
    const at = new Date(now).toISOString();
    const isCovering = plugin !== undefined && (key !== undefined || isRule);
    const where = isCovering
      ? sql`plugin = ${plugin} and ${key === undefined ? sql`starts_with(key, ${ruleGrantPrefix})` : sql`key = ${key}`}
          and ${applying(sql, sessionId, now)}`
      : sql`(expires_at is null or expires_at > ${at})
          and ${sessionId === undefined ? sql`true` : sql`(scope = 'always' or session_id = ${sessionId})`}`;
    const rows = await lookUp(
      () =>
        sql<GrantRow[]>`select * from grants where ${where} order by position desc limit ${isCovering ? null : limit}`,
    );
    return rows.map(toGrant).reverse();
  }

  revoke(which: Revocation | { plugin: string; sessionId: SessionId }): Promise<number> {
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      if ('id' in which) await requireAuthority(sql, which.authority);
      const isMeant =
        'id' in which
          ? sql`id = ${which.id}`
          : sql`plugin = ${which.plugin} and session_id = ${which.sessionId} and scope <> 'always'`;
      const gone = await sql<Gone>`delete from grants where ${isMeant} returning id`;
      for (const { id } of gone) await group.auditAccess(revocation(id, which));
      if (gone.length > 0) await group.tell('grants', 'id' in which ? undefined : which.sessionId);
      return gone.length;
    });
  }
}

/** Stores a grant and deletes an equivalent older one, because a duplicate would survive a revocation. */
export async function storeGrant(group: WriteTransaction, grant: Grant): Promise<void> {
  const { sql } = group;
  const { id, plugin, key, scope, sessionId, createdAt, uses, expiresAt, ...details } = grant;
  const session = sessionId ?? null;
  const replaced = await sql<Gone>`
    delete from grants where id = ${id} or (plugin = ${plugin} and key = ${key} and scope = ${scope}
      and scope <> 'once' and (scope = 'always' or session_id is not distinct from ${session})) returning id`;
  for (const old of replaced) if (old.id !== id) await group.auditAccess(grantRevoked(old.id, 'replaced'));
  await sql`insert into grants (id, plugin, key, scope, session_id, created_at, uses, expires_at, giver, signer, details)
    values (${id}, ${plugin}, ${key}, ${scope}, ${session}, ${createdAt}, ${uses}, ${expiresAt ?? null},
      ${grant.by?.principal ?? null}, ${signerOf(grant) ?? null}, ${JSON.stringify(details)})`;
  await group.auditAccess(grantNews('grant_given', grant));
  await group.tell('grants', sessionId);
}

/**
 * Requires that the used grants still exist, and locks them: a revocation waits for this transaction (APR4).
 * @throws StoreError `grant_gone`
 */
export async function requireHeld(sql: Query, used: UsedGrants | undefined): Promise<void> {
  if (!used || used.ids.length === 0) return;
  const at = new Date(used.now).toISOString();
  const rows = await sql<Gone>`
    select id from grants where id = any(${[...used.ids]}) and (expires_at is null or expires_at > ${at})
    order by id for update`;
  const held = new Set(rows.map(({ id }) => id));
  requireGrants(used, (id) => held.has(id));
}

/** Counts one use of a grant. */
export async function countUse(group: WriteTransaction, id: string): Promise<void> {
  const [used] = await group.sql<{ session_id: SessionId | null }[]>`
    update grants set uses = uses + 1 where id = ${id} returning session_id`;
  await group.tell('grants', used?.session_id ?? undefined);
}

function applying(sql: Query, sessionId: SessionId | undefined, now: Instant) {
  const at = new Date(now).toISOString();
  return sql`(scope = 'always' or session_id = ${sessionId ?? null}) and (expires_at is null or expires_at > ${at})`;
}

function noteLock(note: GrantNote | undefined): { readonly sessions?: readonly SessionId[] } {
  return note ? { sessions: [note.sessionId] } : {};
}

/**
 * Requires an open call. No result can be stored meanwhile, because the session's row is locked.
 * @throws StoreError `conflict`
 */
async function requireOpen(group: WriteTransaction, note: GrantNote | undefined): Promise<void> {
  const place = note && group.locate(note.sessionId);
  if (!place) return;
  const result = resultKey(note.toolCallId);
  const [found] = await group.sql`select 1 from events where session = ${place.key} and key = ${result}`;
  requireOpenCall(note, () => found !== undefined);
}

async function recordNote(group: WriteTransaction, note: GrantNote | undefined, scope: ApprovalScope): Promise<void> {
  const place = note && group.locate(note.sessionId);
  if (place) await putRecord(group.sql, place.key, { toolCallId: note.toolCallId, key: note.key, value: scope });
}
