import type { SessionState } from '@parleyhq/client';
import {
  type Field,
  findVoteOf,
  type InteractionId,
  type InteractionRequest,
  mayAnswer,
  ownerOf,
  type Principal,
} from '@parleyhq/core';
import { findWordsField, fromWords } from '../form/only-choice.ts';
import { headingOf } from '../prompt/words.ts';

/** The open question that text in the message box would answer (WEB9). */
export interface Reply {
  readonly interactionId: InteractionId;
  /** What is asked, as its card says it. */
  readonly question: string;
  /** Whether the text answers the question, or becomes the reason of an answer that is then given on its card. */
  readonly as: 'answer' | 'reason';
  /** What to write. */
  readonly hint: string;
  /** Whether text goes to the question by default. It does not once this person has voted on it. */
  readonly isDocked: boolean;
  /** Whether the question can be answered with a text. */
  readonly accepts: (text: string) => boolean;
}

/** Returns the open prompts that this person may answer. */
export function findOwn(state: SessionState, principal: Principal): readonly InteractionRequest[] {
  return findOpen(state, principal).own;
}

/** Whether an open prompt waits for this person: one that they may answer and have not voted on. */
export function isAsked({ head }: SessionState, principal: Principal): boolean {
  return head.prompts.some(
    ({ state, request, votes = [] }) =>
      state === 'open' && mayAnswer(principal, request) && !findVoteOf(votes, ownerOf(principal)),
  );
}

/** Returns the open prompts, by whether this person may answer them. */
export function findOpen({ head }: SessionState, principal: Principal) {
  const open = head.prompts.filter(({ state }) => state === 'open').map(({ request }) => request);
  return {
    own: open.filter((request) => mayAnswer(principal, request)),
    others: open.filter((request) => !mayAnswer(principal, request)),
  };
}

/** What a person may answer: the ids, separated by spaces, and the question that a text would answer. */
export interface Asked {
  readonly ids: string;
  readonly reply?: Reply | undefined;
}

export function findAsked(state: SessionState, principal: Principal): Asked {
  const ids = findOwn(state, principal).map(({ interactionId }) => interactionId);
  return { ids: ids.join(' '), reply: findReply(state, principal) };
}

/** Returns the question that text would answer; undefined if several are open, because it would be unclear which one is meant. */
function findReply(state: SessionState, principal: Principal): Reply | undefined {
  const [request, ...others] = findOwn(state, principal);
  const use = request && others.length === 0 ? judge(request) : undefined;
  if (!request || !use) return undefined;
  return {
    ...use,
    interactionId: request.interactionId,
    question: headingOf(request),
    isDocked: isAsked(state, principal),
  };
}

function judge({
  interactionType,
  inputSchema,
}: InteractionRequest): Pick<Reply, 'as' | 'hint' | 'accepts'> | undefined {
  if (interactionType !== 'input') return { as: 'reason', hint: 'Write a reason', accepts: () => true };
  const field = inputSchema && findWordsField(inputSchema);
  return field && { as: 'answer', hint: describeHint(field), accepts: (text) => fromWords(field, text) !== undefined };
}

function describeHint({ options, other }: Field): string {
  if (!options?.length) return 'Write the answer';
  return other ? 'Number, or your own words' : 'Number or name';
}
