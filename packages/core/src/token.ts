import type { Instant } from './id.ts';
import type { Principal } from './role.ts';

/** A token besides the server's own. Its holder is this principal (SEC4). */
export interface AccessToken extends Principal {
  readonly createdAt: string;
  readonly expiresAt?: string;
}

/** Tokens by hash. Other processes may add and remove some at any time. */
export interface TokenStore {
  add(hash: string, token: AccessToken): Promise<void>;
  /** Undefined if there is none, or it has expired. */
  find(which: { hash: string } | { id: string }, now: Instant): Promise<AccessToken | undefined>;
  /** Oldest first, including expired ones. */
  list(): Promise<readonly AccessToken[]>;
  /** Whether it existed. Logins made with it are removed too. */
  remove(id: string): Promise<boolean>;
}

/** A browser's login. */
export interface Login {
  readonly expiresAt: string;
  /** The token used to log in; the server's own if absent. */
  readonly tokenId?: string;
}

/** Logins of browsers by hash, so that a cookie survives a restart. */
export interface LoginStore {
  add(hash: string, login: Login): Promise<void>;
  /** Undefined if there is none, or it has expired. */
  find(hash: string, now: Instant): Promise<Login | undefined>;
  remove(hash: string): Promise<void>;
}
