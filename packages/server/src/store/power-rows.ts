import type { AccessToken, AuditPower, Grant, Login } from '@parleyhq/core';

/** What the audit says of a token: never the token itself. */
export function tokenCreated({ id, role, name, sessions, expiresAt, createdAt }: AccessToken): AuditPower {
  return {
    event: 'token_created',
    at: createdAt,
    tokenId: id,
    role,
    ...(name !== undefined && { name }),
    ...(sessions && { sessions }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

export function tokenRevoked(tokenId: string): AuditPower {
  return { event: 'token_revoked', at: now(), tokenId };
}

export function loggedIn(hash: string, { tokenId }: Login): AuditPower {
  return { event: 'logged_in', at: now(), login: nameLogin(hash), principal: tokenId ?? 'owner' };
}

export function loggedOut(hash: string): AuditPower {
  return { event: 'logged_out', at: now(), login: nameLogin(hash) };
}

/** Neither its key nor what was shown: both hold arguments. */
export function grantNews(event: 'grant_given' | 'grant_used', grant: Grant): AuditPower {
  const { id, plugin, toolName, scope, sessionId, interactionId, by } = grant;
  return {
    event,
    at: now(),
    grantId: id,
    plugin,
    scope,
    ...(toolName !== undefined && { toolName }),
    ...(sessionId !== undefined && { session: sessionId }),
    ...(interactionId !== undefined && { interactionId }),
    ...(by && { by }),
  };
}

export function grantRevoked(grantId: string, by: Extract<AuditPower, { event: 'grant_revoked' }>['by']): AuditPower {
  return { event: 'grant_revoked', at: now(), grantId, ...(by && { by }) };
}

const now = () => new Date().toISOString();

/** Enough of the hash to tell log-ins apart. */
const nameLogin = (hash: string) => hash.slice(0, 12);
