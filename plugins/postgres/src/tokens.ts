import { type AccessToken, type Instant, StoreError, type TokenStore } from '@parleyhq/core';
import { grantRevoked, type TokenRow, tokenChanged, tokenCreated, tokenRevoked, toToken } from '@parleyhq/store-kit';
import type { CommitQueue } from './commit-queue.ts';
import { lookUp, type Query, type Sql } from './database.ts';
import { endLinks } from './links.ts';
import type { WriteTransaction } from './write-transaction.ts';

/** Tokens besides the server's own. */
export class Tokens implements TokenStore {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  add(hash: string, token: AccessToken): Promise<void> {
    const { id, role, createdAt, expiresAt, ...more } = token;
    const { name } = more;
    const details = JSON.stringify(more);
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      await requireFree(sql, token);
      await sql`insert into tokens (id, name, hash, role, created_at, expires_at, details)
        values (${id}, ${name ?? null}, ${hash}, ${role}, ${createdAt}, ${expiresAt ?? null}, ${details})`;
      await group.auditAccess(tokenCreated(token));
    });
  }

  async find(which: { hash: string } | { id: string }, now: Instant): Promise<AccessToken | undefined> {
    const sql = this.#sql;
    const at = new Date(now).toISOString();
    const isMeant = 'id' in which ? sql`id = ${which.id}` : sql`hash = ${which.hash}`;
    const [row] = await lookUp(
      () => sql<TokenRow[]>`select * from tokens where ${isMeant} and (expires_at is null or expires_at > ${at})`,
    );
    return row && toToken(row);
  }

  async list(): Promise<readonly AccessToken[]> {
    const rows = await lookUp(() => this.#sql<TokenRow[]>`select * from tokens order by position`);
    return rows.map(toToken);
  }

  change(token: AccessToken, { keepGrants = false } = {}): Promise<boolean> {
    const { id, role, createdAt: _, expiresAt: __, ...more } = token;
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      await requireFree(sql, token, id);
      const changed = await sql`
        update tokens set name = ${more.name ?? null}, role = ${role}, details = ${JSON.stringify(more)} where id = ${id}`;
      if (changed.count === 0) return false;
      await end(group, id, keepGrants);
      for (const entry of tokenChanged(token)) await group.auditAccess(entry);
      return true;
    });
  }

  remove(id: string, { keepGrants = false } = {}): Promise<boolean> {
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      await end(group, id, keepGrants);
      const removed = await sql`delete from tokens where id = ${id}`;
      if (removed.count > 0) await group.auditAccess(tokenRevoked(id));
      return removed.count > 0;
    });
  }
}

/** @param except - id of the token that is given a name @throws StoreError `conflict` */
async function requireFree(sql: Query, { id, name }: AccessToken, except?: string): Promise<void> {
  const taken = name === undefined ? [id] : [id, name];
  const [clash] = await sql`
    select 1 from tokens where (id = any(${taken}) or name = any(${taken})) and id is distinct from ${except ?? null}`;
  if (clash) throw new StoreError('conflict', `There is a token "${name ?? id}" already.`);
}

/** Ends what depends on a token. */
async function end(group: WriteTransaction, id: string, keepGrants: boolean): Promise<void> {
  const { sql } = group;
  await sql`delete from logins where token_id = ${id}`;
  await sql`delete from link_codes where token_id = ${id}`;
  await endLinks(group, sql`token_id = ${id}`);
  const dropped = keepGrants ? [] : await sql<{ id: string }[]>`delete from grants where giver = ${id} returning id`;
  for (const grant of dropped) await group.auditAccess(grantRevoked(grant.id, 'token_revoked'));
  if (dropped.length > 0) await group.tell('grants');
}
