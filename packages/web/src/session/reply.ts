import type { SessionState } from '@parleyhq/client';
import { type InteractionId, type InteractionRequest, mayAnswer, type Principal } from '@parleyhq/core';
import { findTextField } from '../form/only-choice.ts';

/** The open question that text in the message box would answer (WEB9). */
export interface Reply {
  readonly interactionId: InteractionId;
  /** Whether the text answers the question, or is the reason for a denial. */
  readonly as: 'answer' | 'reason';
  /**
   * Whether text goes to the question by default. A text field does not dock, so that it gets no text meant as a message; neither
   * does a question that this person has voted on.
   */
  readonly isDocked: boolean;
}

/** Returns the open prompts that this person may answer. */
export function findOwn(state: SessionState, principal: Principal): readonly InteractionRequest[] {
  return findOpen(state, principal).own;
}

/** Returns the open prompts, by whether this person may answer them. */
export function findOpen({ head }: SessionState, principal: Principal) {
  const open = head.prompts.filter(({ state }) => state === 'open').map(({ request }) => request);
  return {
    own: open.filter((request) => mayAnswer(principal, request)),
    others: open.filter((request) => !mayAnswer(principal, request)),
  };
}

/** Returns the question that text would answer; undefined if several are open, because it would be unclear which one is meant. */
export function findReply(state: SessionState, principal: Principal): Reply | undefined {
  const [request, ...others] = findOwn(state, principal);
  const as = request && others.length === 0 ? judge(request) : undefined;
  if (!request || !as) return undefined;
  const item = state.items.get(`interaction:${request.interactionId}`);
  const hasVoted =
    item?.kind === 'interaction' && item.votes?.some(({ payload }) => payload.by.principal === principal.id);
  return { interactionId: request.interactionId, as: as.as, isDocked: as.isDocked && !hasVoted };
}

function judge({
  interactionType,
  inputSchema,
  reasonRequired,
}: InteractionRequest): Pick<Reply, 'as' | 'isDocked'> | undefined {
  if (interactionType !== 'input') return { as: 'reason', isDocked: !reasonRequired?.includes('deny') }; // or its card asks
  const field = inputSchema && findTextField(inputSchema);
  return field && { as: 'answer', isDocked: field.other === true };
}
