import type { Seq, SessionId } from '../basics/id.ts';
import type { Grant, Revoker } from '../prompt/grant.ts';
import type { Actor, InteractionRequest } from '../prompt/interaction.ts';
import type { AccessToken } from '../prompt/token.ts';
import type { ChatEvent, Payload, ToolCall } from './event.ts';
import { findPrompt, type Head } from './head.ts';

/** Who did something and from where, as far as the server knows. Addresses go to the audit only, never to clients. */
export interface Witness extends Actor {
  readonly address?: string;
  readonly userAgent?: string;
}

type Claim =
  | 'interaction_vote'
  | 'interaction_escalated'
  | 'interaction_response'
  | 'interaction_expired'
  | 'interaction_closed';

/** One claim on a prompt in the audit: who, when and what, but no values (SEC7). */
export interface AuditClaim extends Pick<InteractionRequest, 'interactionId' | 'toolCallId' | 'toolName' | 'digest'> {
  readonly event: Claim;
  readonly seq: Seq;
  readonly at: string;
  /** What was answered, or why it was closed. */
  readonly outcome: string;
  readonly scope?: string;
  /** The wider consent that was chosen, by its id in the prompt. */
  readonly ruleId?: string;
  readonly isEdited?: true;
  readonly late?: true;
  readonly grantId?: string;
  /** The principals whose votes no longer counted, for their tokens were revoked (TEAM3). */
  readonly struck?: readonly string[];
  /** Absent if nobody did it: a deadline passed or a handler failed. */
  readonly by?: Witness;
}

/** The last entry of a session. */
export interface AuditDeletion {
  readonly event: 'session_deleted';
  readonly at: string;
  /** Absent where its time was over (OPS6). */
  readonly by?: Witness;
}

/** A call that nobody was asked about before it was stored, and what let it through or kept it out. */
export interface AuditCall extends Pick<ToolCall, 'toolCallId' | 'toolName'> {
  readonly event: 'tool_call';
  readonly seq: Seq;
  readonly at: string;
  /** Its tool, which may ask for itself; a grant, a policy or the session's mode. */
  readonly outcome: string;
  readonly grantId?: string;
}

/** An approval that a call asked for and that nobody was asked about: what let it through is not what its call's row says. */
export interface AuditPass extends Pick<ToolCall, 'toolCallId' | 'toolName'> {
  readonly event: 'approval_passed';
  readonly at: string;
  /** A policy or the session's mode. */
  readonly outcome: 'policy' | 'mode';
}

/** A session's mode or agent, which decide what may run; of a new session without a `seq`. */
export interface AuditChange {
  readonly event: 'session_changed';
  readonly seq?: Seq;
  readonly at: string;
  readonly permissionMode?: string;
  readonly agent?: string;
  readonly by?: Witness;
}

/** Who is let in, and what is allowed beyond one prompt: of the whole server, in a chain of its own. */
export type AuditPower =
  | ({ readonly event: 'token_created'; readonly at: string; readonly tokenId: string } & Pick<
      AccessToken,
      'role' | 'name' | 'owner' | 'sessions' | 'expiresAt'
    >)
  | { readonly event: 'token_revoked'; readonly at: string; readonly tokenId: string }
  /** `principal` is the id of the token that was shown, or `owner`; `login` names the log-in and lets nobody in. */
  | {
      readonly event: 'logged_in' | 'logged_in_again';
      readonly at: string;
      readonly login: string;
      readonly principal: string;
    }
  | { readonly event: 'logged_out'; readonly at: string; readonly login: string }
  | ({
      readonly event: 'grant_given' | 'grant_used';
      readonly at: string;
      readonly grantId: string;
      /** Where it was used, or where it holds if not everywhere. */
      readonly session?: SessionId;
    } & Pick<Grant, 'plugin' | 'toolName' | 'scope' | 'interactionId' | 'by'>)
  | {
      readonly event: 'grant_revoked';
      readonly at: string;
      readonly grantId: string;
      /** Absent in rows of earlier releases. */
      readonly cause?: RevocationCause;
      readonly by?: Revoker;
    };

/** Why a grant holds no longer: a person or its plugin took it back, or it went with its giver's token, its session, or for a newer one. */
export type RevocationCause = 'person' | 'plugin' | 'token_revoked' | 'session_deleted' | 'replaced';

/** What the rows of the whole server stand under in place of a session. */
export const serverChain: SessionId = '';

export type AuditEntry = AuditClaim | AuditDeletion | AuditCall | AuditPass | AuditChange | AuditPower;

/** A stored audit entry; its hash covers its text and the previous hash. */
export interface AuditRow {
  readonly n: number;
  /** The AuditEntry with its session and number, as JSON. */
  readonly text: string;
  readonly hash: string;
}

/** The audit entries of an append: one per claim, call and change of power. `before` is the head that it was decided on. */
export function auditOf(
  before: Head,
  events: readonly ChatEvent[],
  witness: Witness | undefined,
): readonly AuditEntry[] {
  return events.flatMap((event): AuditEntry[] => {
    switch (event.type) {
      case 'interaction_response': {
        const { action, approvalScope, ruleId, editedArgs, late, grantId, by } = event.payload;
        return claimOf(before, events, event, action, {
          ...(approvalScope !== undefined && { scope: approvalScope }),
          ...(ruleId !== undefined && { ruleId }),
          ...(editedArgs !== undefined && { isEdited: true }),
          ...(late && { late: true }),
          ...(grantId !== undefined && { grantId }),
          ...struckOf(event),
          by: witness ?? by,
        });
      }
      case 'interaction_vote':
        return claimOf(before, events, event, event.payload.action, {
          ...struckOf(event),
          by: witness ?? event.payload.by,
        });
      case 'interaction_escalated':
        return claimOf(before, events, event, `step ${event.payload.step}`, {});
      case 'interaction_expired':
        return claimOf(before, events, event, 'expired', {});
      case 'interaction_closed':
        return claimOf(before, events, event, event.payload.reason, witness ? { by: witness } : {});
      case 'tool_call':
        return callOf(event);
      case 'session_changed':
        return changeOf(event, witness);
      default:
        return [];
    }
  });
}

function struckOf({
  payload: { struck },
}: ChatEvent<'interaction_vote' | 'interaction_response'>): Pick<AuditClaim, 'struck'> {
  return struck ? { struck } : {};
}

/** A call that a person is asked about has its row when they answer. */
function callOf({ seq, timestamp, payload }: ChatEvent<'tool_call'>): AuditCall[] {
  const { toolCallId, toolName, authorised } = payload;
  if (authorised.by === 'person') return [];
  const { by: outcome, grantId } = authorised;
  const grant = grantId === undefined ? {} : { grantId };
  return [{ event: 'tool_call', seq, at: timestamp, toolCallId, toolName, outcome, ...grant }];
}

function changeOf(event: ChatEvent<'session_changed'>, witness: Witness | undefined): AuditChange[] {
  const { permissionMode, agent, by } = event.payload;
  if (permissionMode === undefined && agent === undefined) return [];
  return [
    {
      event: 'session_changed',
      seq: event.seq,
      at: event.timestamp,
      ...(permissionMode !== undefined && { permissionMode }),
      ...(agent !== undefined && { agent }),
      by: witness ?? by,
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
