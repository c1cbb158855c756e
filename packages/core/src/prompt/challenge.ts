import type { AnswerId, InteractionId, SessionId } from '../basics/id.ts';
import { canonicalise } from '../basics/json.ts';
import { type Answer, type CompleteAnswer, completeAnswer, withoutSecrets } from './answer.ts';
import type { InteractionResponse } from './interaction.ts';
import type { InteractionRequest } from './interaction-request.ts';
import type { Terms } from './terms.ts';

/** Version of what passkeys sign. Earlier releases signed version 1, which lacks the terms. */
export type ChallengeVersion = 1 | 2;

/** Identifies one answer of one person to what one prompt showed. */
export interface AnswerIdentity {
  readonly sessionId: SessionId;
  readonly interactionId: InteractionId;
  readonly digest: string;
  /** Undefined for receipts that lack them: only version 1 can have been signed. */
  readonly terms: Terms | undefined;
  readonly answerId: AnswerId;
  /** The person who answers: see `ownerOf`. */
  readonly person: string;
}

/**
 * Returns the text whose SHA-256 a passkey signs for an answer. It binds the prompt, what was shown, the terms, the person and the
 * whole answer as the log will hold it, so a receipt has all of it. The ids are random and used once, which makes it fresh.
 * @param v - 1 only to verify what is stored: new answers need the current version
 */
export function challengeText(identity: AnswerIdentity, answer: CompleteAnswer, v: ChallengeVersion = 2): string {
  const { sessionId, interactionId, digest, terms, answerId, person } = identity;
  const shown = { sessionId, interactionId, digest, ...(v === 2 && { terms }) };
  return canonicalise({ v, ...shown, answerId, person, answer });
}

/** Returns the answer that is signed: complete, and without secrets. */
export function signedAnswer(request: InteractionRequest, answer: Answer): CompleteAnswer {
  return withoutSecrets(request, completeAnswer(request, answer));
}

/** Returns the answer that was signed for a stored response. */
export function answerOfResponse(response: InteractionResponse): CompleteAnswer {
  const { action, approvalScope, ruleId, button, input, editedArgs, reason, annotations, files } = response;
  return {
    action,
    ...(approvalScope !== undefined && { approvalScope }),
    ...(ruleId !== undefined && { ruleId }),
    ...(button !== undefined && { button }),
    ...(input && { input }),
    ...(editedArgs !== undefined && { editedArgs }),
    ...(reason !== undefined && { reason }),
    ...(annotations && { annotations }),
    ...(files && { files }),
  };
}

/** Returns the answer that was signed for a stored vote: a vote to approve is for once. */
export function answerOfVote({
  action,
  reason,
  annotations,
}: Pick<InteractionResponse, 'action' | 'reason' | 'annotations'>): CompleteAnswer {
  return {
    action,
    ...(action === 'approve' && { approvalScope: 'once' }),
    ...(reason !== undefined && { reason }),
    ...(annotations && { annotations }),
  };
}
