import type { AccessToken, AuditPower, Grant, Login } from '@parleyhq/core';

/** What the audit says of a token: never the token itself. */
export function tokenCreated({ id, role, name, owner, sessions, expiresAt, createdAt }: AccessToken): AuditPower {
  return {
    event: 'token_created',
    at: createdAt,
    tokenId: id,
    role,
    ...(name !== undefined && { name }),
    ...(owner !== undefined && { owner }),
    ...(sessions && { sessions }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

export function tokenRevoked(tokenId: string): AuditPower {
  return { event: 'token_revoked', at: now(), tokenId };
}

export function loggedIn({ id, tokenId }: Pick<Login, 'id' | 'tokenId'>): AuditPower {
  return { event: 'logged_in', at: now(), login: id, principal: tokenId ?? 'owner' };
}

export function loggedOut({ id }: Pick<Login, 'id'>): AuditPower {
  return { event: 'logged_out', at: now(), login: id };
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
