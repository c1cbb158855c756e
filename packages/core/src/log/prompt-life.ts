import type { InteractionId, ResponseId, Seq, TurnId } from '../basics/id.ts';
import { widenAudience } from '../prompt/audience.ts';
import type { InteractionResponse } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { addComment, type CommentSummary } from './comment-summary.ts';
import type { ChatEvent, Payload } from './event.ts';
import { castVote, type Vote } from './vote.ts';

/** State after each event of a prompt. At most one event of each type occurs, and only one of the last two (INT3). */
export const stateAfter = {
  interaction_request: 'open',
  interaction_expired: 'expired',
  interaction_pending: 'pending',
  interaction_closed: 'closed',
  interaction_response: 'answered',
} as const;

type StateEventType = keyof typeof stateAfter;

/** Events that add information to a prompt without changing its state. There may be many of each. */
const noteTypes = ['interaction_vote', 'interaction_comment', 'interaction_escalated'] as const;

export type PromptEventType = StateEventType | (typeof noteTypes)[number];

/** An event in the life of one prompt. */
export type PromptEvent = ChatEvent<PromptEventType>;

/**
 * State of a prompt. `expired`: its deadline has passed and `onTimeout` is deciding. `pending`: its tool continued, and the
 * prompt outlives the call. `answered` and `closed` are final.
 */
export type PromptState = (typeof stateAfter)[StateEventType];

/** A prompt with the effects of its events. */
export interface PromptLife {
  readonly request: InteractionRequest;
  readonly state: PromptState;
  /** Position and time of the request. */
  readonly seq: Seq;
  readonly timestamp: string;
  readonly expiresAt: string | undefined;
  readonly turnId: TurnId | undefined;
  readonly responseId: ResponseId | undefined;
  /** Message from the tool when it continued; undefined for a prompt that was never pending. */
  readonly message: string | undefined;
  readonly response?: InteractionResponse;
  readonly answeredAt?: string;
  readonly closed?: Payload<'interaction_closed'>;
  /** Votes, one per person; absent before the first (TEAM3). */
  readonly votes?: readonly Vote[];
  /** How many comments there are, and the last; absent before the first (REV4). */
  readonly comments?: CommentSummary;
  /** Number of escalation steps taken; absent before the first (TEAM5). */
  readonly escalated?: number;
}

/** A prompt that is not settled. */
export interface OpenPrompt extends PromptLife {
  /** In a snapshot: whether parts of it are missing (`true`), or were and have been restored (`false`). */
  readonly isCut?: boolean;
  /** The persons who requested what its call does (TEAM2). Absent in heads cached by earlier releases. */
  readonly requesters?: readonly string[];
  readonly state: 'open' | 'pending' | 'expired';
}

export function isPromptEvent(event: ChatEvent): event is PromptEvent {
  return isStateEvent(event.type) || noteTypes.some((type) => type === event.type);
}

/** Whether an event of this type changes the state of a prompt. */
export function isStateEvent(type: string): type is StateEventType {
  return Object.hasOwn(stateAfter, type);
}

export function isUnsettled(prompt: PromptLife): prompt is OpenPrompt {
  return prompt.state !== 'answered' && prompt.state !== 'closed';
}

/**
 * Folds an event into a prompt. `prompt` is undefined before its request.
 * @returns undefined for an event whose request was not folded
 */
export function reducePrompt(prompt: PromptLife | undefined, event: PromptEvent): PromptLife | undefined {
  if (event.type === 'interaction_request') return openPrompt(event);
  if (!prompt) return undefined;
  switch (event.type) {
    case 'interaction_expired':
      return { ...prompt, state: 'expired' };
    case 'interaction_pending':
      return { ...prompt, state: 'pending', message: event.payload.message, expiresAt: event.payload.expiresAt };
    case 'interaction_response':
      return { ...prompt, state: 'answered', response: event.payload, answeredAt: event.timestamp };
    case 'interaction_closed':
      return { ...prompt, state: 'closed', closed: event.payload };
    case 'interaction_vote':
      return { ...prompt, votes: castVote(prompt.votes, event) };
    case 'interaction_comment':
      return { ...prompt, comments: addComment(prompt.comments, event) };
    case 'interaction_escalated':
      return { ...prompt, request: escalateRequest(prompt.request, event.payload), escalated: event.payload.step };
    default:
      return event satisfies never;
  }
}

/** Adds the audience of an escalation to a request. */
export function escalateRequest(
  request: InteractionRequest,
  { audience: more }: Pick<Payload<'interaction_escalated'>, 'audience'>,
): InteractionRequest {
  const audience = widenAudience(request.audience, more);
  return audience ? { ...request, audience } : request;
}

function openPrompt({ payload, seq, timestamp, turnId, responseId }: ChatEvent<'interaction_request'>): OpenPrompt {
  const { expiresAt } = payload;
  return { request: payload, state: 'open', seq, timestamp, expiresAt, turnId, responseId, message: undefined };
}

/** Returns the prompts that are still unsettled after one more event, in the order in which they were asked. */
export function reduceOpenPrompts(prompts: readonly OpenPrompt[], event: PromptEvent): readonly OpenPrompt[] {
  const { interactionId } = event.payload;
  const next = reducePrompt(findById(prompts, interactionId), event);
  if (!next) return prompts;
  if (event.type === 'interaction_request') return isUnsettled(next) ? [...prompts, next] : prompts;
  const rest = [...prompts];
  const at = prompts.findIndex(({ request }) => request.interactionId === interactionId);
  rest.splice(at, 1, ...(isUnsettled(next) ? [next] : []));
  return rest;
}

export function findById(prompts: readonly OpenPrompt[], id: InteractionId): OpenPrompt | undefined {
  return prompts.find((prompt) => prompt.request.interactionId === id);
}

/** In the order of `stateAfter`, which is chronological; its last two exclude each other. */
const eventTypes = Object.keys(stateAfter) as readonly StateEventType[];

/** Returns the state after these events, in whatever order they are known, because a prompt only ever moves forward. */
export function stateOfEvents(isKnown: (type: StateEventType) => boolean): PromptState {
  return stateAfter[eventTypes.findLast(isKnown) ?? 'interaction_request'];
}
