import type { Instant } from '../basics/id.ts';
import type { Principal } from './role.ts';

/** The principal of the server's own token, which ends with the server. */
export const ownerId = 'owner';

/** A token besides the server's own. Its holder is this principal (SEC4). */
export interface AccessToken extends Principal {
  readonly createdAt: string;
  readonly expiresAt?: string;
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
