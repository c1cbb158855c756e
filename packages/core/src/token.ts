import type { Instant } from './id.ts';
import type { Principal } from './role.ts';

/** A token beside the one that the server was started with: its holder is this principal (SEC4). */
export interface AccessToken extends Principal {
  readonly createdAt: string;
  readonly expiresAt?: string;
}

/** Tokens by their hashes. Another process may add and remove some at any time. */
export interface TokenStore {
  add(hash: string, token: AccessToken): Promise<void>;
  /** Undefined for one that is not there, or has expired. */
  find(which: { hash: string } | { id: string }, now: Instant): Promise<AccessToken | undefined>;
  /** Oldest first, with those that have expired. */
  list(): Promise<readonly AccessToken[]>;
  /** Whether it was there. Log-ins that were made with it open nothing any more. */
  remove(id: string): Promise<boolean>;
}

/** A browser's log-in. */
export interface Login {
  readonly expiresAt: string;
  /** The token that it was made with; undefined: the server's own. */
  readonly tokenId?: string;
}

/** Log-ins of browsers, hashed: a cookie outlives a restart. */
export interface LoginStore {
  add(hash: string, login: Login): Promise<void>;
  /** Undefined for one that is not there, or has expired. */
  find(hash: string, now: Instant): Promise<Login | undefined>;
  remove(hash: string): Promise<void>;
}
