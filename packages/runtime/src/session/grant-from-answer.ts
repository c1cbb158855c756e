import {
  type Actor,
  type ApprovalScope,
  type Asked,
  type Credential,
  findRule,
  type GivenAnswer,
  type Grant,
  type Instant,
  type InteractionId,
  type InteractionRequest,
  type JournalRecord,
  type Json,
  nameRuleGrant,
  type Rule,
  type SessionId,
} from '@parleyhq/core';
import { newId } from '../node/new-id.ts';

/** The consent that a person's answer gives. */
export interface Given
  extends Pick<InteractionRequest, 'interactionId' | 'toolName'>,
    Partial<Pick<InteractionRequest, 'title' | 'subject' | 'digest'>> {
  readonly plugin: string;
  readonly key: string;
  readonly scope: ApprovalScope;
  readonly by: Actor;
  readonly ttlMs?: number | undefined;
  readonly rule?: Rule | undefined;
  /** Credential id of the passkey that signed the answer (SIGN2). */
  readonly passkey?: string | undefined;
  /** The people who see the call it comes from, if that is hidden (TEAM1). */
  readonly hiddenFor?: readonly Asked[] | undefined;
}

/**
 * Returns the lasting grants of an answer: for exactly what its prompt named and showed, or for the chosen rule. They are stored
 * with the answer in one commit. Edited arguments grant nothing here because only the tool knows their key.
 */
export function grantsOf(
  {
    id: sessionId,
    plugin,
    now,
    hiddenFor,
  }: Pick<Given, 'hiddenFor'> & {
    id: SessionId;
    plugin: string | undefined;
    now: Instant;
  },
  { request, passkey, answer: { action, approvalScope: scope = 'once', ruleId, editedArgs, by } }: GivenAnswer,
): readonly Grant[] {
  const { grantTtlMs, sessionTtlMs } = request;
  const ttlMs = ttlOf({ ttlMs: grantTtlMs, sessionTtlMs }, scope);
  if (findRule(request, ruleId)?.keptByCaller) return [];
  const rule = ruleOf(request, ruleId);
  const key = rule ? nameRuleGrant(request.toolName, rule.key) : request.grantKey;
  const isGiven = action === 'approve' && scope !== 'once' && editedArgs === undefined;
  if (!isGiven || key === undefined || plugin === undefined) return [];
  return [makeGrant(sessionId, { ...request, plugin, key, scope, by, ttlMs, rule, passkey, hiddenFor }, now)];
}

/** Returns how long a lasting consent of a scope is valid. */
export function ttlOf(
  { ttlMs, sessionTtlMs = ttlMs }: { readonly ttlMs?: number | undefined; readonly sessionTtlMs?: number | undefined },
  scope: ApprovalScope,
): number | undefined {
  return scope === 'session' ? sessionTtlMs : ttlMs;
}

/**
 * Returns the key of the record with the credential of whoever consented to edited arguments: the grant itself is stored later.
 */
export function giverKey(interactionId: InteractionId): string {
  return `giver:${interactionId}`;
}

/**
 * Returns the record stored with an answer whose grant only the tool can name: the grant is stored later, if its giver's
 * credential is still valid then, and the passkey that signed still theirs (SEC9, SIGN2).
 */
export function giverRecords(
  { request: { interactionId, toolCallId }, answer, passkey }: GivenAnswer,
  { tokenId, loginHash }: Credential,
): readonly JournalRecord[] {
  const { action, approvalScope = 'once', editedArgs } = answer;
  const isLater = action === 'approve' && approvalScope !== 'once' && editedArgs !== undefined;
  if (!isLater) return [];
  const value = {
    ...(tokenId !== undefined && { tokenId }),
    ...(loginHash !== undefined && { loginHash }),
    ...(passkey !== undefined && { passkey }),
  };
  return [{ toolCallId, key: giverKey(interactionId), value }];
}

/** Who gave an answer: the credential, and the credential id of the passkey that signed it (SIGN2). */
export interface Giver {
  readonly credential: Credential;
  readonly passkey?: string | undefined;
}

/** Reads such a record; those of earlier releases hold no passkey, or only the token. Undefined if there is none. */
export function readGiver(value: Json | undefined): Giver | undefined {
  if (typeof value === 'string') return { credential: { tokenId: value } };
  if (value === undefined) return undefined;
  const { passkey, ...credential } = value as Credential & Pick<Giver, 'passkey'>;
  return { credential, passkey };
}

function ruleOf(request: InteractionRequest, ruleId: string | undefined): Rule | undefined {
  const offered = findRule(request, ruleId);
  return offered && { id: offered.id, label: offered.label, key: offered.key };
}

export function makeGrant(sessionId: SessionId, given: Given, now: Instant): Grant {
  const { interactionId, plugin, key, scope, by, toolName, title, subject, digest, ttlMs, rule } = given;
  const { passkey, hiddenFor } = given;
  return {
    id: newId(), // reveals nothing about its origin: people who see its use may not see that (SEC4)
    plugin,
    key,
    scope,
    sessionId: scope === 'always' ? undefined : sessionId,
    createdAt: new Date(now).toISOString(),
    uses: 0,
    ...(ttlMs !== undefined && { expiresAt: new Date(now + ttlMs).toISOString() }),
    by,
    interactionId,
    toolName,
    ...(title !== undefined && { title }),
    ...(subject && { subject }),
    ...(digest !== undefined && { digest }),
    ...(passkey !== undefined && { isSigned: true as const }),
    ...(rule && { rule }),
    ...(hiddenFor && { hiddenFor }),
  };
}
