import type { Authority, Instant, Login, LoginStore } from '@parleyhq/core';
import { type LoginRow, loggedIn, loggedOut, requireTokenOf, toLogin } from '@parleyhq/store-kit';
import type { CommitQueue } from './commit-queue.ts';
import { requireAuthority } from './credentials.ts';
import { lookUp, type Sql } from './database.ts';
import { endLinks } from './links.ts';

/** Logins of browsers. Adding one deletes those that have expired. */
export class Logins implements LoginStore {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;
  #latest = '';

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  add(hash: string, login: Login): Promise<void> {
    const { id, createdAt, expiresAt, tokenId, ...more } = login;
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      const [token] = await sql`select 1 from tokens where id = ${tokenId ?? null}`;
      requireTokenOf(login, token !== undefined);
      await group.auditAccess(loggedIn(login));
      await sql`delete from logins where expires_at <= ${this.#latest} or hash = ${hash} or id = ${id}`;
      await sql`insert into logins (hash, id, created_at, expires_at, token_id, details)
        values (${hash}, ${id}, ${createdAt ?? null}, ${expiresAt}, ${tokenId ?? null}, ${JSON.stringify(more)})`;
    });
  }

  async find(hash: string, now: Instant): Promise<Login | undefined> {
    const at = new Date(now).toISOString();
    if (at > this.#latest) this.#latest = at;
    const [row] = await lookUp(
      () => this.#sql<LoginRow[]>`select * from logins where hash = ${hash} and expires_at > ${at}`,
    );
    return row && toLogin(row);
  }

  async list(now: Instant): Promise<readonly Login[]> {
    const at = new Date(now).toISOString();
    const rows = await lookUp(
      () => this.#sql<LoginRow[]>`
        select * from logins where expires_at > ${at} order by created_at nulls first, id collate "C"`,
    );
    return rows.map(toLogin);
  }

  prove(hash: string, now: Instant): Promise<boolean> {
    const at = new Date(now).toISOString();
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      const [row] = await sql<LoginRow[]>`
        select * from logins where hash = ${hash} and expires_at > ${at} for update`;
      if (!row) return false;
      const details = JSON.stringify({ ...JSON.parse(row.details), provedAt: at });
      await sql`update logins set details = ${details} where hash = ${hash}`;
      await group.auditAccess(loggedIn(toLogin(row), 'logged_in_again'));
      return true;
    });
  }

  remove(which: { hash: string } | { id: string }, authority?: Authority): Promise<boolean> {
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      await requireAuthority(sql, authority);
      const isMeant = 'id' in which ? sql`id = ${which.id}` : sql`hash = ${which.hash}`;
      const removed = await sql<{ id: string; hash: string }[]>`
        delete from logins where ${isMeant} returning id, hash`;
      for (const { id, hash } of removed) {
        await sql`delete from link_codes where login_hash = ${hash}`;
        await endLinks(group, sql`login_hash = ${hash}`);
        await group.auditAccess(loggedOut({ id }));
      }
      return removed.length > 0;
    });
  }
}
