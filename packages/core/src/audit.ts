import type { ChatEvent, Payload } from './event.ts';
import { findPrompt, type Head } from './head.ts';
import type { Seq, SessionId } from './id.ts';
import type { Actor, InteractionRequest } from './interaction.ts';

/** Who did something and from where, as far as the server knows. Addresses go to the audit only, never to clients. */
export interface Witness extends Actor {
  readonly address?: string;
  readonly userAgent?: string;
}

type Claim = 'interaction_response' | 'interaction_expired' | 'interaction_closed';

/** One claim on a prompt in the audit: who, when and what, but no values (SEC7). */
export interface AuditClaim extends Pick<InteractionRequest, 'interactionId' | 'toolCallId' | 'toolName' | 'digest'> {
  readonly event: Claim;
  readonly seq: Seq;
  readonly at: string;
  /** What was answered, or why it was closed. */
  readonly outcome: string;
  readonly scope?: string;
  readonly isEdited?: true;
  readonly late?: true;
  readonly grantId?: string;
  /** Absent if nobody did it: a deadline passed or a handler failed. */
  readonly by?: Witness;
}

/** The last entry of a session. */
export interface AuditDeletion {
  readonly event: 'session_deleted';
  readonly at: string;
  readonly by?: Witness;
}

export type AuditEntry = AuditClaim | AuditDeletion;

/** A stored audit entry; its hash covers its text and the previous hash. */
export interface AuditRow {
  readonly n: number;
  /** The AuditEntry with its session and number, as JSON. */
  readonly text: string;
  readonly hash: string;
}

export interface AuditStore {
  /** A session's rows in order, including those of a deleted session. */
  read(sessionId: SessionId): Promise<readonly AuditRow[]>;
}

/** The audit entries of an append, one per claim. `before` is the head that it was decided on. */
export function auditOf(
  before: Head,
  events: readonly ChatEvent[],
  witness: Witness | undefined,
): readonly AuditClaim[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case 'interaction_response': {
        const { action, approvalScope, editedArgs, late, grantId, by } = event.payload;
        return claimOf(before, events, event, action, {
          ...(approvalScope !== undefined && { scope: approvalScope }),
          ...(editedArgs !== undefined && { isEdited: true }),
          ...(late && { late: true }),
          ...(grantId !== undefined && { grantId }),
          by: witness ?? by,
        });
      }
      case 'interaction_expired':
        return claimOf(before, events, event, 'expired', {});
      case 'interaction_closed':
        return claimOf(before, events, event, event.payload.reason, witness ? { by: witness } : {});
      default:
        return [];
    }
  });
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
