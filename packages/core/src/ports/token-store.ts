import type { Instant } from '../basics/id.ts';
import type { AccessToken, Authority, Login } from '../prompt/token.ts';

/** Tokens by hash. Other processes may add and remove some at any time. */
export interface TokenStore {
  /** @throws StoreError `conflict` if another token has this id or this name, which identifies people in audiences */
  add(hash: string, token: AccessToken): Promise<void>;
  /** Returns the token; undefined if there is none, or it has expired. */
  find(which: { hash: string } | { id: string }, now: Instant): Promise<AccessToken | undefined>;
  /** Returns all tokens, oldest first, including expired ones. */
  list(): Promise<readonly AccessToken[]>;
  /**
   * Gives a token another name or role, in one write. Its logins end, and so do its grants unless they are kept (SEC9); votes of its
   * holder stay. Returns whether it existed. @throws StoreError `conflict` like `add`
   */
  change(token: AccessToken, options?: { readonly keepGrants?: boolean }): Promise<boolean>;
  /** Returns whether it existed. Also removes its logins, and the grants that its holder gave unless they are kept (SEC9). */
  remove(id: string, options?: { readonly keepGrants?: boolean }): Promise<boolean>;
}

/** Logins of browsers by hash, so that a cookie survives a restart. Other processes may remove some at any time. */
export interface LoginStore {
  /** @throws StoreError `unauthorised` if the token of the login was revoked meanwhile: somebody may get its id again (SIGN1) */
  add(hash: string, login: Login): Promise<void>;
  /** Returns the login; undefined if there is none, or it has expired. */
  find(hash: string, now: Instant): Promise<Login | undefined>;
  /** Returns unexpired logins, oldest first. */
  list(now: Instant): Promise<readonly Login[]>;
  /** Records that the login's token was presented again. Returns false if the login has ended. */
  prove(hash: string, now: Instant): Promise<boolean>;
  /** Returns whether it existed. @throws StoreError `unauthorised`, `login_again` */
  remove(which: { hash: string } | { id: string }, authority?: Authority): Promise<boolean>;
}

/**
 * Hashes of the one-time codes that log in a browser; any node may receive one (SEC2). A code is deleted with the node that
 * made it, or when it is used.
 */
export interface LoginCodeStore {
  add(hash: string, node: string): Promise<void>;
  has(hash: string): Promise<boolean>;
  /** Returns whether it existed: of several that use it at the same moment, one succeeds. */
  remove(hash: string): Promise<boolean>;
}
