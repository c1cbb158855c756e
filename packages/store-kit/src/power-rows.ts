import {
  type AccessToken,
  type AuditAccess,
  type ChatLink,
  type Grant,
  isReviewerOff,
  type Login,
  type Passkey,
  type Revocation,
  type RevocationCause,
  type Revoker,
  reviewerOffPrefix,
} from '@parleyhq/core';
import { fingerprintOfPasskey } from './fingerprint.ts';

/** Audit entry of a new token, without the token itself. */
export function tokenCreated(
  { id, role, name, owner, sessions, expiresAt, createdAt }: AccessToken,
  at: string = createdAt,
): AuditAccess {
  return {
    event: 'token_created',
    at,
    tokenId: id,
    role,
    ...(name !== undefined && { name }),
    ...(owner !== undefined && { owner }),
    ...(sessions && { sessions }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Audit entries of a token with another name or role. */
export function tokenChanged(token: AccessToken): readonly AuditAccess[] {
  return [tokenRevoked(token.id), tokenCreated(token, now())];
}

export function tokenRevoked(tokenId: string): AuditAccess {
  return { event: 'token_revoked', at: now(), tokenId };
}

export function loggedIn(
  { id, tokenId }: Pick<Login, 'id' | 'tokenId'>,
  event: 'logged_in' | 'logged_in_again' = 'logged_in',
): AuditAccess {
  return { event, at: now(), login: id, principal: tokenId ?? 'owner' };
}

export function loggedOut({ id }: Pick<Login, 'id'>): AuditAccess {
  return { event: 'logged_out', at: now(), login: id };
}

export function accountLinked({ id, notifier, account, principal, createdAt }: ChatLink): AuditAccess {
  return { event: 'account_linked', at: createdAt, linkId: id, notifier, account: account.id, principal };
}

export function accountUnlinked(linkId: string): AuditAccess {
  return { event: 'account_unlinked', at: now(), linkId };
}

export function passkeyAdded(passkey: Passkey): AuditAccess {
  const { id, person, createdAt } = passkey;
  const fingerprint = fingerprintOfPasskey(passkey);
  return { event: 'passkey_added', at: createdAt, passkeyId: id, fingerprint, person };
}

export function passkeyRemoved({ id, person }: Pick<Passkey, 'id' | 'person'>): AuditAccess {
  return { event: 'passkey_removed', at: now(), passkeyId: id, person };
}

/** Audit entry of a grant given or used, without its key and what was shown: both contain arguments. */
export function grantNews(event: 'grant_given' | 'grant_used', grant: Grant): AuditAccess {
  const { id, plugin, toolName, scope, sessionId, interactionId, by, takenOffBy } = grant;
  if (isReviewerOff(grant)) {
    const where = sessionId === undefined ? {} : { session: sessionId };
    const taken = { toolName: toolName ?? '', ...where, ...(takenOffBy && { by: takenOffBy }) };
    return { event: 'reviewer_removed', at: now(), id, ...taken };
  }
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

export function grantRevoked(grantId: string, cause: RevocationCause, by?: Revoker): AuditAccess {
  const ended = { at: now(), cause, ...(by && { by }) };
  if (grantId.startsWith(reviewerOffPrefix)) return { event: 'reviewer_restored', id: grantId, ...ended };
  return { event: 'grant_revoked', grantId, ...ended };
}

/** Audit entry of a grant revoked by a person, by its id, or by its plugin. */
export function revocation(grantId: string, which: Revocation | { plugin: string }): AuditAccess {
  return 'id' in which ? grantRevoked(grantId, 'person', which.by) : grantRevoked(grantId, 'plugin');
}

const now = () => new Date().toISOString();
