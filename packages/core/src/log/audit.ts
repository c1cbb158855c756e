import type { Seq, SessionId } from '../basics/id.ts';
import type { Annotation } from '../prompt/annotated-lines.ts';
import type { Grant, Revoker } from '../prompt/grant.ts';
import type { Actor } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import type { AccessToken } from '../prompt/token.ts';
import type { ChatEvent, Payload, ToolCall } from './event.ts';
import { findPrompt, type Head } from './head.ts';

/**
 * An actor and their network address and browser, as far as the server knows. Addresses are stored in the audit only, never sent
 * to clients.
 */
export interface AuditActor extends Actor {
  readonly address?: string;
  readonly userAgent?: string;
}

type Claim =
  | 'interaction_vote'
  | 'interaction_escalated'
  | 'interaction_response'
  | 'interaction_expired'
  | 'interaction_closed';

/** An event of a prompt in the audit: actor, time and outcome, but no values (SEC7). */
export interface AuditClaim extends Pick<InteractionRequest, 'interactionId' | 'toolCallId' | 'toolName' | 'digest'> {
  readonly event: Claim;
  readonly seq: Seq;
  readonly at: string;
  /** The action of the answer, or the reason for closing. */
  readonly outcome: string;
  readonly scope?: string;
  /** Id in the prompt of the wider consent that was chosen. */
  readonly ruleId?: string;
  readonly isEdited?: true;
  /** The lines that were annotated, without what was said about them (REV1). */
  readonly annotations?: readonly Pick<Annotation, 'lines' | 'side'>[];
  readonly late?: true;
  readonly grantId?: string;
  /** Id of the passkey that signed it (SIGN2). */
  readonly credentialId?: string;
  /** Principals whose votes no longer counted, because their tokens were revoked (TEAM3). */
  readonly struck?: readonly string[];
  /** Absent if no person did it: a deadline passed or a handler failed. */
  readonly by?: AuditActor;
}

/** The last entry of a session. */
export interface AuditDeletion {
  readonly event: 'session_deleted';
  readonly at: string;
  /** Actor that deleted it; absent if retention did (OPS6). */
  readonly by?: AuditActor;
}

/** A call that was decided without asking a person, and what allowed or denied it. */
export interface AuditCall extends Pick<ToolCall, 'toolCallId' | 'toolName'> {
  readonly event: 'tool_call';
  readonly seq: Seq;
  readonly at: string;
  /** What decided: the tool, which may ask later; a grant, a policy, the session's mode or a reviewer. */
  readonly outcome: string;
  readonly grantId?: string;
  /** Name of the reviewer that passed it (LESS3). Its reason is in the log only, because it may quote the arguments. */
  readonly reviewer?: string;
}

/**
 * An approval that a call got without a person. It has its own entry, because the call's row shows only what let the call
 * start.
 */
export interface AuditPass extends Pick<ToolCall, 'toolCallId' | 'toolName'> {
  readonly event: 'approval_passed';
  readonly at: string;
  /** What approved: a policy, the session's mode or a reviewer. */
  readonly outcome: 'policy' | 'mode' | 'reviewer';
  readonly reviewer?: string;
}

/** A change of a session's mode, agent or rules, which determine what may run. Without `seq` for a new session. */
export interface AuditChange {
  readonly event: 'session_changed';
  readonly seq?: Seq;
  readonly at: string;
  readonly permissionMode?: string;
  readonly agent?: string;
  /** The grant of a rule that was allowed after it was suggested, and its scope. */
  readonly grantId?: string;
  readonly scope?: string;
  readonly by?: AuditActor;
}

/** Changes of access and of lasting consent, for the whole server, in a chain of its own. */
export type AuditAccess =
  | ({ readonly event: 'token_created'; readonly at: string; readonly tokenId: string } & Pick<
      AccessToken,
      'role' | 'name' | 'owner' | 'sessions' | 'expiresAt'
    >)
  | { readonly event: 'token_revoked'; readonly at: string; readonly tokenId: string }
  /** `principal` is the id of the token that was presented, or `owner`; `login` identifies the log-in and grants no access. */
  | {
      readonly event: 'logged_in' | 'logged_in_again';
      readonly at: string;
      readonly login: string;
      readonly principal: string;
    }
  | { readonly event: 'logged_out'; readonly at: string; readonly login: string }
  /** A chat account acts for a principal, or does so no longer (CHAT2). */
  | {
      readonly event: 'account_linked';
      readonly at: string;
      readonly linkId: string;
      readonly notifier: string;
      readonly account: string;
      readonly principal: string;
    }
  /** A person's passkey, by Parley's own id of it (SIGN2). */
  | {
      readonly event: 'passkey_added' | 'passkey_removed';
      readonly at: string;
      readonly passkeyId: string;
      /** Fingerprint of its public key; when it was added. Absent in rows of earlier releases. */
      readonly fingerprint?: string;
      readonly person: string;
    }
  | { readonly event: 'account_unlinked'; readonly at: string; readonly linkId: string }
  | ({
      readonly event: 'grant_given' | 'grant_used';
      readonly at: string;
      readonly grantId: string;
      /** Session in which it was used, or to which it is limited. */
      readonly session?: SessionId;
    } & Pick<Grant, 'plugin' | 'toolName' | 'scope' | 'interactionId' | 'by'>)
  | {
      readonly event: 'grant_revoked';
      readonly at: string;
      readonly grantId: string;
      /** Absent in rows of earlier releases. */
      readonly cause?: RevocationCause;
      readonly by?: Revoker;
    }
  /** Reviewers no longer pass calls of this tool, everywhere or in `session`; and the end of that, by its id (LESS3). */
  | {
      readonly event: 'reviewer_removed';
      readonly at: string;
      readonly id: string;
      readonly toolName: string;
      readonly session?: SessionId;
      readonly by?: Actor;
    }
  | {
      readonly event: 'reviewer_restored';
      readonly at: string;
      readonly id: string;
      readonly cause: RevocationCause;
      readonly by?: Revoker;
    };

/**
 * Why a grant ended: revoked by a person or its plugin, removed with its giver's token or passkey or its session, or replaced by a
 * newer one.
 */
export type RevocationCause =
  | 'person'
  | 'plugin'
  | 'token_revoked'
  | 'passkey_removed'
  | 'session_deleted'
  | 'replaced';

/** Takes the place of a session id in the rows of the whole server. */
export const serverChain: SessionId = '';

export type AuditEntry = AuditClaim | AuditDeletion | AuditCall | AuditPass | AuditChange | AuditAccess;

/** A stored audit entry; its hash covers its text and the previous hash. */
export interface AuditRow {
  readonly n: number;
  /** The AuditEntry with its session and number, as JSON. */
  readonly text: string;
  readonly hash: string;
}

/** Returns the audit entries of an append. `before` is the head on which it was decided. */
export function auditOf(
  before: Head,
  events: readonly ChatEvent[],
  auditActor: AuditActor | undefined,
): readonly AuditEntry[] {
  return events.flatMap((event): AuditEntry[] => {
    switch (event.type) {
      case 'interaction_response': {
        const { action, approvalScope, ruleId, editedArgs, late, grantId, by } = event.payload;
        return claimOf(before, events, event, action, {
          ...(approvalScope !== undefined && { scope: approvalScope }),
          ...(ruleId !== undefined && { ruleId }),
          ...(editedArgs !== undefined && { isEdited: true }),
          ...placesOf(event),
          ...(late && { late: true }),
          ...(grantId !== undefined && { grantId }),
          ...signerOf(event),
          ...struckOf(event),
          by: auditActor ?? by,
        });
      }
      case 'interaction_vote':
        return claimOf(before, events, event, event.payload.action, {
          ...placesOf(event),
          ...signerOf(event),
          ...struckOf(event),
          by: auditActor ?? event.payload.by,
        });
      case 'interaction_escalated':
        return claimOf(before, events, event, `step ${event.payload.step}`, {});
      case 'interaction_expired':
        return claimOf(before, events, event, 'expired', {});
      case 'interaction_closed':
        return claimOf(before, events, event, event.payload.reason, auditActor ? { by: auditActor } : {});
      case 'tool_call':
        return callOf(event);
      case 'session_changed':
        return changeOf(event, auditActor);
      default:
        return [];
    }
  });
}

function placesOf({
  payload: { annotations },
}: ChatEvent<'interaction_vote' | 'interaction_response'>): Pick<AuditClaim, 'annotations'> {
  if (!annotations) return {};
  return { annotations: annotations.map(({ lines, side }) => ({ lines, ...(side && { side }) })) };
}

function signerOf({
  payload: { assertion },
}: ChatEvent<'interaction_vote' | 'interaction_response'>): Pick<AuditClaim, 'credentialId'> {
  return assertion ? { credentialId: assertion.credentialId } : {};
}

function struckOf({
  payload: { struck },
}: ChatEvent<'interaction_vote' | 'interaction_response'>): Pick<AuditClaim, 'struck'> {
  return struck ? { struck } : {};
}

/** Returns the entry of a call. A call that a person decides gets its entry with their answer instead. */
function callOf({ seq, timestamp, payload }: ChatEvent<'tool_call'>): AuditCall[] {
  const { toolCallId, toolName, authorised } = payload;
  if (authorised.by === 'person') return [];
  const { by: outcome, grantId, name } = authorised;
  const grant = grantId === undefined ? {} : { grantId };
  const reviewer = outcome === 'reviewer' && name !== undefined ? { reviewer: name } : {};
  return [{ event: 'tool_call', seq, at: timestamp, toolCallId, toolName, outcome, ...grant, ...reviewer }];
}

function changeOf(event: ChatEvent<'session_changed'>, auditActor: AuditActor | undefined): AuditChange[] {
  const { permissionMode, agent, rule, by } = event.payload;
  if (permissionMode === undefined && agent === undefined && rule === undefined) return [];
  return [
    {
      event: 'session_changed',
      seq: event.seq,
      at: event.timestamp,
      ...(permissionMode !== undefined && { permissionMode }),
      ...(agent !== undefined && { agent }),
      ...(rule && { grantId: rule.grantId, scope: rule.scope }),
      by: auditActor ?? by,
    },
  ];
}

function claimOf(
  before: Head,
  events: readonly ChatEvent[],
  { type, seq, timestamp, payload: { interactionId, toolCallId } }: ChatEvent<Claim>,
  outcome: string,
  more: Partial<AuditClaim>,
): AuditClaim[] {
  const isRequest = ({ payload }: ChatEvent<'interaction_request'>) => payload.interactionId === interactionId;
  const asked = events.find(
    (event): event is ChatEvent<'interaction_request'> => event.type === 'interaction_request' && isRequest(event),
  );
  const { toolName = '', digest = '' }: Partial<Payload<'interaction_request'>> =
    findPrompt(before, interactionId)?.request ?? asked?.payload ?? {};
  return [{ event: type, seq, at: timestamp, interactionId, toolCallId, toolName, digest, outcome, ...more }];
}
