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
  isRecord,
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
  const ttlMs = ttlOfAnswer(request, scope);
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

/** Returns how long a consent to a prompt is valid, as its card said. */
function ttlOfAnswer({ grantTtlMs, sessionTtlMs }: InteractionRequest, scope: ApprovalScope): number | undefined {
  return ttlOf({ ttlMs: grantTtlMs, sessionTtlMs }, scope);
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
  { request, answer, passkey }: GivenAnswer,
  { tokenId, loginHash }: Credential,
): readonly JournalRecord[] {
  const { interactionId, toolCallId } = request;
  const { action, approvalScope = 'once', editedArgs } = answer;
  const isLater = action === 'approve' && approvalScope !== 'once' && editedArgs !== undefined;
  if (!isLater) return [];
  const value = {
    ...(tokenId !== undefined && { tokenId }),
    ...(loginHash !== undefined && { loginHash }),
    ...(passkey !== undefined && { passkey }),
    ttlMs: ttlOfAnswer(request, approvalScope) ?? null,
  };
  return [{ toolCallId, key: giverKey(interactionId), value }];
}

/** Who gave an answer: the credential, and the credential id of the passkey that signed it; and for how long (SIGN2). */
export interface Giver {
  readonly credential: Credential;
  readonly passkey?: string | undefined;
  readonly ttlMs?: number | undefined;
}

/** Reads such a record. Undefined if there is none, or an earlier release stored one that does not say for how long. */
export function readGiver(value: Json | undefined): Giver | undefined {
  if (!isRecord(value) || value.ttlMs === undefined) return undefined;
  const { passkey, ttlMs, ...credential } = value as Credential & { passkey?: string; ttlMs?: number | null };
  return { credential, passkey, ttlMs: ttlMs ?? undefined };
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
