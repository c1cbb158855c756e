import type { SessionState } from '@parleyhq/client';
import { type InteractionId, type InteractionRequest, mayAnswer, type Principal } from '@parleyhq/core';
import { findTextField } from '../form/only-choice.ts';

/** The open question that words in the message box would answer (WEB9). */
export interface Reply {
  readonly interactionId: InteractionId;
  /** The words answer it, or say why not. */
  readonly as: 'answer' | 'reason';
  /**
   * They do so unless their writer says otherwise. What asks for a text of some form gets none that was meant as a message, and
   * whose vote stands has said what they wanted.
   */
  readonly isDocked: boolean;
}

/** The open prompts that this person may answer. */
export function findOwn(state: SessionState, principal: Principal): readonly InteractionRequest[] {
  return findOpen(state, principal).own;
}

/** The open prompts, by whether this person may answer them. */
export function findOpen({ head }: SessionState, principal: Principal) {
  const open = head.prompts.filter(({ state }) => state === 'open').map(({ request }) => request);
  return {
    own: open.filter((request) => mayAnswer(principal, request)),
    others: open.filter((request) => !mayAnswer(principal, request)),
  };
}

/** With several questions open nobody could tell which one is meant: then words answer none of them. */
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
  if (interactionType !== 'input') return { as: 'reason', isDocked: !reasonRequired?.includes('deny') }; // else its card asks for it
  const field = inputSchema && findTextField(inputSchema);
  return field && { as: 'answer', isDocked: field.other === true };
}
