import type { Instant } from '../basics/id.ts';
import type { Principal } from './role.ts';

/** The principal of the server's own token, which is valid as long as the server runs. */
export const ownerId = 'owner';

/** A token other than the server's own. Its holder is this principal (SEC4). */
export interface AccessToken extends Principal {
  readonly createdAt: string;
  readonly expiresAt?: string;
  /** Provider at which this person logs in; nobody has the token itself then (SIGN1). */
  readonly issuer?: string;
}

/** A browser's login. */
export interface Login {
  /** Id that people see; only the browser knows the cookie. */
  readonly id: string;
  /** Absent for logins of old releases, which did not store it. */
  readonly createdAt?: string;
  readonly expiresAt: string;
  /** Token used to log in; the server's own if absent. */
  readonly tokenId?: string;
  /**
   * Time at which its token was last presented again. For a log-in at a provider, the time at which the person last showed it who
   * they are; the epoch if it does not say.
   */
  readonly provedAt?: string;
  /** Browser's user agent and network address. */
  readonly userAgent?: string;
  readonly address?: string;
}

/**
 * A client's credential as far as a store knows it: empty for the server's own token, which ends with the server, but also for
 * people whom an embedding application knows. So an empty one does not say who somebody is.
 */
export interface Credential {
  /** Id of a token other than the server's own. */
  readonly tokenId?: string;
  /** Hash of a login's cookie. */
  readonly loginHash?: string;
  /** Id of the link of a chat account that acts for the token or login (CHAT2). */
  readonly linkId?: string;
}

/** A credential at the time of a command. A write that carries one is stored only if it is still valid (SEC9). */
export interface Authority {
  readonly credential: Credential;
  readonly now: Instant;
  /**
   * For sensitive actions: a login must have presented its token after this time. A client that uses the token itself always
   * qualifies.
   */
  readonly provedSince?: Instant;
}

/** @param freshMs - maximum time since a login presented its token; 0 if any will do */
export function authorityOf(credential: Credential, now: Instant, freshMs = 0): Authority {
  return { credential, now, ...(freshMs > 0 && { provedSince: now - freshMs }) };
}
