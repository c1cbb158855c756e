import {
  type Authority,
  authorityOf,
  type ChatLink,
  type Instant,
  type LinkCode,
  type LinkStore,
} from '@parleyhq/core';
import { accountLinked, accountUnlinked } from '@parleyhq/store-kit';
import type { CommitQueue } from './commit-queue.ts';
import { isAuthorised, requireAuthority } from './credentials.ts';
import { type Condition, lookUp, type Sql } from './database.ts';
import type { WriteTransaction } from './write-transaction.ts';

type Row = { readonly details: string };

/** Chat accounts that act for people, and the codes that link them (CHAT2). */
export class Links implements LinkStore {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  addCode(hash: string, code: LinkCode, authority: Authority): Promise<void> {
    const { credential, expiresAt } = code;
    return this.#queue.write({}, async ({ sql }) => {
      await requireAuthority(sql, authority);
      await sql`delete from link_codes where expires_at <= ${new Date(authority.now).toISOString()}`;
      await sql`insert into link_codes (hash, token_id, login_hash, expires_at, details)
        values (${hash}, ${credential.tokenId ?? null}, ${credential.loginHash ?? null}, ${expiresAt}, ${JSON.stringify(code)})`;
    });
  }

  async findCode(hash: string, now: Instant): Promise<LinkCode | undefined> {
    const [row] = await lookUp(
      () => this.#sql<Row[]>`
        select details from link_codes where hash = ${hash} and expires_at > ${new Date(now).toISOString()}`,
    );
    return row && JSON.parse(row.details);
  }

  dropCode(hash: string): Promise<boolean> {
    return this.#queue.write({}, async ({ sql }) => {
      const { count } = await sql`delete from link_codes where hash = ${hash}`;
      return count > 0;
    });
  }

  redeem(made: Omit<ChatLink, 'principal' | 'credential'>, now: Instant): Promise<ChatLink | undefined> {
    return this.#queue.write({ isPower: true }, async (group) => {
      const { sql } = group;
      const [row] = await sql<Row[]>`
        delete from link_codes where hash = ${made.codeHash} and expires_at > ${new Date(now).toISOString()}
        returning details`;
      if (!row) return undefined;
      const { principal, credential }: LinkCode = JSON.parse(row.details);
      if (!(await isAuthorised(sql, authorityOf(credential, now)))) return undefined;
      const link: ChatLink = { ...made, principal, credential };
      await endLinks(group, sql`notifier = ${link.notifier} and account = ${link.account.id}`);
      await sql`insert into links (id, notifier, account, token_id, login_hash, created_at, details)
        values (${link.id}, ${link.notifier}, ${link.account.id}, ${credential.tokenId ?? null},
          ${credential.loginHash ?? null}, ${link.createdAt}, ${JSON.stringify(link)})`;
      await group.auditAccess(accountLinked(link));
      return link;
    });
  }

  async find(notifier: string, accountId: string): Promise<ChatLink | undefined> {
    const [row] = await lookUp(
      () => this.#sql<Row[]>`select details from links where notifier = ${notifier} and account = ${accountId}`,
    );
    return row && toLink(row);
  }

  async list(): Promise<readonly ChatLink[]> {
    const rows = await lookUp(() => this.#sql<Row[]>`select details from links order by created_at, id collate "C"`);
    return rows.map(toLink);
  }

  remove(id: string): Promise<boolean> {
    return this.#queue.write({ isPower: true }, (group) => endLinks(group, group.sql`id = ${id}`));
  }
}

/** Ends links within a write. Returns whether there were any. */
export async function endLinks(group: WriteTransaction, which: Condition): Promise<boolean> {
  const ended = await group.sql<{ id: string }[]>`delete from links where ${which} returning id`;
  for (const { id } of ended) await group.auditAccess(accountUnlinked(id));
  return ended.length > 0;
}

function toLink({ details }: Row): ChatLink {
  return JSON.parse(details);
}
