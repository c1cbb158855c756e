import type { Authority, Voter } from '@parleyhq/core';
import {
  type LoginRow,
  requireValid,
  requireVoters,
  type Standing,
  standingOfLogin,
  toLogin,
} from '@parleyhq/store-kit';
import type { Condition, Query } from './database.ts';

/**
 * Requires valid tokens and logins, within the transaction that depends on them. Revoking one waits for this transaction, so
 * nothing is stored after a revocation was confirmed (SEC9).
 * @throws StoreError `unauthorised`, `login_again`
 */
export async function requireAuthority(sql: Query, authority: Authority | undefined): Promise<void> {
  if (!authority) return;
  const standing = await standingOf(sql, authority);
  requireValid(authority, () => standing);
}

/** Whether a credential is valid, within the transaction that depends on it. */
export async function isAuthorised(sql: Query, authority: Authority): Promise<boolean> {
  return (await standingOf(sql, authority)) !== 'ended';
}

/** Requires that no voter's token was revoked since; expired ones are allowed (TEAM3). @throws StoreError `voter_gone` */
export async function requireVotes(sql: Query, voters: readonly Voter[] = []): Promise<void> {
  if (voters.length === 0) return;
  const ids = voters.map(({ id }) => id);
  const rows = await sql<{ id: string; created_at: string }[]>`
    select id, created_at from tokens where id = any(${ids}) for share`;
  const found = new Map(rows.map(({ id, created_at }) => [id, created_at]));
  requireVoters(voters, (id) => found.get(id));
}

/** The tokens, logins and links on which one statement depends. */
export class Credentials {
  readonly #tokens = new Set<string>();
  readonly #logins = new Set<string>();
  readonly #links = new Set<string>();
  #now = 0;

  add({ credential: { tokenId, loginHash, linkId }, now }: Authority): void {
    if (tokenId !== undefined) this.#tokens.add(tokenId);
    if (loginHash !== undefined) this.#logins.add(loginHash);
    if (linkId !== undefined) this.#links.add(linkId);
    this.#now = Math.max(this.#now, now);
  }

  /**
   * Whether all are valid; they are locked until the statement has ended. How recently a login has shown its token is not
   * checked.
   */
  hold(sql: Query): Condition {
    const [tokens, logins, links] = [[...this.#tokens], [...this.#logins], [...this.#links]];
    if (tokens.length + logins.length + links.length === 0) return sql`true`;
    const at = new Date(this.#now).toISOString();
    return sql`${tokens.length} = (select count(*) from (select from tokens
        where id = any(${tokens}) and (expires_at is null or expires_at > ${at}) for share) as valid)
      and ${logins.length} = (select count(*) from (select from logins
        where hash = any(${logins}) and expires_at > ${at} for share) as valid)
      and ${links.length} = (select count(*) from (select from links where id = any(${links}) for share) as valid)`;
  }
}

async function standingOf(sql: Query, authority: Authority): Promise<Standing> {
  const { tokenId, loginHash, linkId } = authority.credential;
  const at = new Date(authority.now).toISOString();
  if (tokenId !== undefined) {
    const [token] = await sql`
      select 1 from tokens where id = ${tokenId} and (expires_at is null or expires_at > ${at}) for share`;
    if (!token) return 'ended';
  }
  if (linkId !== undefined) {
    const [link] = await sql`select 1 from links where id = ${linkId} for share`;
    if (!link) return 'ended';
  }
  if (loginHash === undefined) return 'valid';
  const [row] = await sql<LoginRow[]>`
    select * from logins where hash = ${loginHash} and expires_at > ${at} for share`;
  return row ? standingOfLogin(toLogin(row), authority) : 'ended';
}
