import type { Instant } from '../basics/id.ts';
import type { AccessToken, Authority, Login } from '../prompt/token.ts';

/** Tokens by hash. Other processes may add and remove some at any time. */
export interface TokenStore {
  /** @throws StoreError `conflict` if another token has this id, or this name: people and audiences are told apart by it */
  add(hash: string, token: AccessToken): Promise<void>;
  /** Undefined if there is none, or it has expired. */
  find(which: { hash: string } | { id: string }, now: Instant): Promise<AccessToken | undefined>;
  /** Oldest first, including expired ones. */
  list(): Promise<readonly AccessToken[]>;
  /** Whether it existed. Its logins are removed too, and the grants that its holder gave unless they are kept (SEC9). */
  remove(id: string, options?: { readonly keepGrants?: boolean }): Promise<boolean>;
}

/** Logins of browsers by hash, so that a cookie survives a restart. Other processes may remove some at any time. */
export interface LoginStore {
  add(hash: string, login: Login): Promise<void>;
  /** Undefined if there is none, or it has expired. */
  find(hash: string, now: Instant): Promise<Login | undefined>;
  /** Those that have not expired, oldest first. */
  list(now: Instant): Promise<readonly Login[]>;
  /** Its token was shown again. False if it has ended. */
  prove(hash: string, now: Instant): Promise<boolean>;
  /** Whether it existed. @throws StoreError `unauthorised`, `login_again` */
  remove(which: { hash: string } | { id: string }, authority?: Authority): Promise<boolean>;
}

/**
 * The one-time codes that log in a browser, by hash: any node may be shown one (SEC2, OPS4). Each ends with the node that made it,
 * or when it was used.
 */
export interface LoginCodeStore {
  add(hash: string, node: string): Promise<void>;
  has(hash: string): Promise<boolean>;
  /** Whether it was there: of those who show it at the same moment, one has used it. */
  remove(hash: string): Promise<boolean>;
}
