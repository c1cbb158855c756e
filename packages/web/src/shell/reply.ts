import type { SessionState } from '@parleyhq/client';
import { type InteractionId, type InteractionRequest, mayAnswer, type Principal } from '@parleyhq/core';
import { findTextField } from '../form/only-choice.ts';

/** The open question that words in the message box would answer (WEB9). */
export interface Reply {
  readonly interactionId: InteractionId;
  /** The words answer it, or say why not. */
  readonly as: 'answer' | 'reason';
  /** They do so unless their writer says otherwise. What asks for a text of some form gets none that was meant as a message. */
  readonly isDocked: boolean;
}

/** The open prompts that this person may answer. */
export function findOwn({ head }: SessionState, principal: Principal): readonly InteractionRequest[] {
  return head.prompts
    .filter(({ state, request }) => state === 'open' && mayAnswer(principal, request))
    .map(({ request }) => request);
}

/** With several questions open nobody could tell which one is meant: then words answer none of them. */
export function findReply(own: readonly InteractionRequest[]): Reply | undefined {
  const [request, ...others] = own;
  const as = request && others.length === 0 ? judge(request) : undefined;
  return request && as && { interactionId: request.interactionId, ...as };
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
