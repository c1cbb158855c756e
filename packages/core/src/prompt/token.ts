import type { Instant } from '../basics/id.ts';
import type { Principal } from './role.ts';

/** The principal of the server's own token, which ends with the server. */
export const ownerId = 'owner';

/** A token besides the server's own. Its holder is this principal (SEC4). */
export interface AccessToken extends Principal {
  readonly createdAt: string;
  readonly expiresAt?: string;
}

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

/** A browser's login. */
export interface Login {
  /** Names it to people: the cookie itself is known to its browser only. */
  readonly id: string;
  /** Absent if it was made before logins had a time. */
  readonly createdAt?: string;
  readonly expiresAt: string;
  /** The token used to log in; the server's own if absent. */
  readonly tokenId?: string;
  /** When its token was last shown again. */
  readonly provedAt?: string;
  /** What the browser called itself, and where it came from. */
  readonly userAgent?: string;
  readonly address?: string;
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

/** What a client was let in by, as far as a store knows it: nothing for the server's own token, which ends with the server. */
export interface Credential {
  /** A token besides the server's own. */
  readonly tokenId?: string;
  /** The hash of a login's cookie. */
  readonly loginHash?: string;
}

/** A credential at the time of a command. A write that carries one is stored only if it is still valid (SEC9). */
export interface Authority {
  readonly credential: Credential;
  readonly now: Instant;
  /** For the riskiest acts: a log-in must have shown its token since then. Whoever presents the token itself always has. */
  readonly provedSince?: Instant;
}

/** @param freshMs - how long ago a log-in may have shown its token; 0 if that does not matter */
export function authorityOf(credential: Credential, now: Instant, freshMs = 0): Authority {
  return { credential, now, ...(freshMs > 0 && { provedSince: now - freshMs }) };
}
