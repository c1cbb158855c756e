import { type Instant, type InteractionId, nameInteraction } from '../basics/id.ts';
import { limits } from '../basics/limits.ts';
import type { NewEvent } from '../log/event.ts';
import { findCall, findPrompt, type Head, type OpenCall, requestersOf } from '../log/head.ts';
import { isSmall, sizeOfPrompts, sizeOfRequest } from '../log/open-size.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { dependsOnRequesters } from '../prompt/role.ts';
import { accept, type Command, type Decision, type PromptDraft, refuse } from './command.ts';

type CommandOf<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Opens the first prompt of a slot. The policy gate's is number 0; a handler's count from 1 (INT2). */
export function decideAsk(head: Head, { draft, isGate = false, supersedes }: CommandOf<'ask'>, now: Instant): Decision {
  const call = findCall(head, draft.toolCallId);
  if (!call) return refuse('closed');
  if (head.prompts.length >= limits.openPrompts) return refuse('too_many_prompts');
  const interactionId = nameInteraction(call.toolCallId, isGate ? 0 : call.asked + 1);
  const isSuperseding = supersedes !== undefined && findPrompt(head, supersedes) !== undefined;
  const closing = isSuperseding ? [close(head, supersedes, 'superseded', { replacedBy: interactionId })] : [];
  const next = request(head, call, { ...draft, interactionId, attempt: 1 }, now);
  return hasRoom(head, next) ? accept(...closing, next) : refuse('too_many_prompts', { limit: 'openPromptBytes' });
}

/**
 * Applies a deadline: `onTimeout` decides from here on; without that hook the prompt closes at once (INT10).
 *
 * Prompts of earlier releases do not record whether they have the hook and are treated as if they had: a handler without one
 * closes the expired prompt itself, whereas a handler with one could not act on a prompt that was closed here.
 */
export function decideExpiry(head: Head, { interactionId, deadline }: CommandOf<'expire'>): Decision {
  const prompt = findPrompt(head, interactionId);
  const isDue = prompt?.expiresAt !== undefined && Date.parse(prompt.expiresAt) <= deadline; // unless it was moved meanwhile
  if (!prompt || !isDue || prompt.state === 'expired') return accept();
  const { turnId, responseId } = prompt;
  const { toolCallId, hasTimeoutHook = true } = prompt.request;
  if (prompt.state === 'open' && hasTimeoutHook) {
    return accept({ type: 'interaction_expired', payload: { toolCallId, interactionId }, turnId, responseId });
  }
  return accept(close(head, interactionId, 'timeout'));
}

/** Asks more people, in the order of the steps; neither answers nor closes the prompt (TEAM5). */
export function decideEscalation(head: Head, { interactionId, step }: CommandOf<'escalate'>): Decision {
  const prompt = findPrompt(head, interactionId);
  const next = prompt?.request.escalate?.[step - 1];
  if (!prompt || !next || prompt.state === 'expired' || step !== (prompt.escalated ?? 0) + 1) return accept();
  const { turnId, responseId } = prompt;
  const { toolCallId } = prompt.request;
  const payload = { toolCallId, interactionId, step, audience: next.audience };
  return accept({ type: 'interaction_escalated', payload, turnId, responseId });
}

/** Closes an expired prompt after `onTimeout` completed or failed. */
export function decideClose(head: Head, { interactionId, reason }: CommandOf<'close_expired'>): Decision {
  return findPrompt(head, interactionId)?.state === 'expired'
    ? accept(close(head, interactionId, reason))
    : refuse('closed');
}

/** Closes an open prompt whose answer its tool no longer needs; leaves one that is settled, or whose timeout is being decided. */
export function decideRetraction(head: Head, { interactionId, note, isOrphaned }: CommandOf<'retract'>): Decision {
  if (findPrompt(head, interactionId)?.state !== 'open') return accept();
  const reason = isOrphaned ? 'orphaned' : 'withdrawn';
  return accept(close(head, interactionId, reason, note === undefined ? {} : { note }));
}

/** Opens the next prompt of a slot. An expired one closes in the same append; an answered one is already settled (INT8). */
export function decideReprompt(head: Head, { last, draft }: CommandOf<'reprompt'>, now: Instant): Decision {
  const call = findCall(head, last.toolCallId);
  if (!call) return refuse('closed');
  const next = request(head, call, follow(call, last, draft), now);
  if (!hasRoom(head, next)) return refuse('too_many_prompts', { limit: 'openPromptBytes' });
  const isExpired = findPrompt(head, last.interactionId) !== undefined;
  const closing = isExpired
    ? [close(head, last.interactionId, 'timeout', { replacedBy: next.payload.interactionId })]
    : [];
  return accept(...closing, next);
}

/**
 * Lets the tool continue without an answer. An expired prompt stays answerable under its id; an answered one ("later") opens
 * again under a new id, pending from the start. If no answer is expected, the prompt closes (INT9).
 */
export function decideDefer(head: Head, command: CommandOf<'defer'>, now: Instant): Decision {
  const { last, message, isQueued, ttlMs } = command;
  const call = findCall(head, last.toolCallId);
  if (!call) return refuse('closed');
  const isExpired = findPrompt(head, last.interactionId) !== undefined;
  if (!isQueued) return isExpired ? accept(close(head, last.interactionId, 'timeout')) : accept();
  const expiresAt = new Date(now + ttlMs).toISOString();
  const { toolCallId, turnId, responseId } = call;
  const pending = (interactionId: InteractionId): NewEvent => ({
    type: 'interaction_pending',
    payload: { toolCallId, interactionId, message, expiresAt },
    turnId,
    responseId,
  });
  if (isExpired) return accept(pending(last.interactionId));
  const { timeoutMs: _, expiresAt: __, ...draft } = last;
  const next = follow(call, last, draft);
  return accept(request(head, call, next, now), pending(next.interactionId));
}

/** Whether a prompt fits the size limit of open prompts; a small one always does (SEC11). */
function hasRoom({ prompts }: Head, { payload }: NewEvent<'interaction_request'>): boolean {
  return isSmall(payload) || sizeOfPrompts(prompts) + sizeOfRequest(payload) <= limits.openPromptBytes;
}

/** A prompt that has its id, but no deadline yet. */
type Undated = PromptDraft & Pick<InteractionRequest, 'interactionId' | 'attempt' | 'replaces'>;

function follow(call: OpenCall, last: InteractionRequest, draft: PromptDraft): Undated {
  return {
    ...draft,
    interactionId: nameInteraction(call.toolCallId, call.asked + 1),
    attempt: last.attempt + 1,
    replaces: last.interactionId,
  };
}

/** Makes the event of a prompt. Stores who requested it, because the prompt may outlive its turn (TEAM2). */
function request(head: Head, call: OpenCall, payload: Undated, now: Instant): NewEvent<'interaction_request'> {
  const { timeoutMs } = payload;
  const asked = requestersOf(head, call.toolCallId);
  const isNeeded = [payload, ...(payload.escalate ?? [])].some(({ audience }) =>
    dependsOnRequesters({ risk: payload.risk, audience }),
  );
  const requesters = asked && isNeeded ? { requesters: [...asked] } : {};
  const deadline = timeoutMs === undefined ? {} : { expiresAt: new Date(now + timeoutMs).toISOString() };
  return {
    type: 'interaction_request',
    payload: { ...payload, ...requesters, ...deadline },
    turnId: call.turnId,
    responseId: call.responseId,
  };
}

type ClosedPayload = Extract<NewEvent, { type: 'interaction_closed' }>['payload'];

/** Closes a prompt that nobody answered. */
export function close(
  head: Head,
  interactionId: InteractionId,
  reason: ClosedPayload['reason'],
  more: Pick<ClosedPayload, 'replacedBy' | 'note'> = {},
): NewEvent {
  const prompt = findPrompt(head, interactionId);
  return {
    type: 'interaction_closed',
    payload: {
      toolCallId: prompt?.request.toolCallId ?? '',
      interactionId,
      reason,
      ...more,
    },
    turnId: prompt?.turnId,
    responseId: prompt?.responseId,
  };
}
