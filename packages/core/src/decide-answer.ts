import { type CompleteAnswer, checkAnswer, completeAnswer, describeAnswer } from './answer.ts';
import {
  type AnswerCommand,
  type Decision,
  type Facts,
  type PastPrompt,
  refuse,
  type WinnerDetails,
} from './command.ts';
import { sendOrQueue } from './decide-turn.ts';
import type { ChatEvent, Message, NewEvent } from './event.ts';
import { cleanValues } from './field.ts';
import { findPrompt, type Head } from './head.ts';
import { type InteractionId, nameLateMessage } from './id.ts';
import type { InteractionRequest, InteractionResponse } from './interaction.ts';
import { canonicalise } from './json.ts';
import type { OpenPrompt } from './prompt-life.ts';
import { mayAnswer, mayEdit } from './role.ts';

/** Decides whether an answer wins its prompt. First response wins (INT4); the order of refusals is INT5's. */
export function decideAnswer(head: Head, command: AnswerCommand, facts: Facts): Decision {
  const prompt = findPrompt(head, command.interactionId);
  const request = prompt?.request ?? command.past?.request;
  if (!request || request.toolCallId !== command.callId) return refuse('not_found');
  const winner = findRepeated(command);
  if (winner) return { kind: 'repeated', seq: winner.seq };
  if (command.isOutsider) return refuse('forbidden');
  if (!mayAnswer(command.principal, request, command.answer.approvalScope)) return refuse('forbidden'); // mutant: role
  if (command.answer.editedArgs !== undefined && !mayEdit(command.principal, request)) return refuseEdit();
  if (!command.isEnabled) return refuse('interaction_disabled');
  if (!prompt) return refusePast(head, command, command.past as PastPrompt);
  if (command.digest !== undefined && command.digest !== request.digest) {
    return refuse('stale', { current: request.interactionId }); // mutant: digest
  }
  switch (prompt.state) {
    case 'expired':
      return refuse('retry_later'); // onTimeout is deciding; the client sends it again
    case 'open':
    case 'pending': {
      const fieldErrors = checkAnswer(request, command.answer, facts.matches) ?? demandDigest(command);
      return fieldErrors ? refuse('invalid', { fieldErrors }) : claim(head, prompt, command, facts);
    }
    default:
      return prompt.state satisfies never;
  }
}

/** Whoever edits asks for something else, and may not approve that (TEAM2). */
function refuseEdit(): Decision {
  const words =
    'An edit is a request of your own, which somebody else must approve: allow what was asked, or deny it and say what you want.';
  return refuse('forbidden', undefined, words);
}

/** Consent beyond `once`, or to edited arguments, must name what the person saw (APR2). */
function demandDigest({ digest, answer: { approvalScope = 'once', editedArgs } }: AnswerCommand) {
  const isDemanded = approvalScope !== 'once' || editedArgs !== undefined;
  return isDemanded && digest === undefined ? { digest: 'This answer needs the digest of what was shown.' } : undefined;
}

/**
 * The response that this same answer became. A repeat always gets the same reply, even if it would be
 * forbidden by now (FRM6). What a grant settled is nobody's to repeat: its answerId can be guessed.
 */
function findRepeated(command: AnswerCommand): ChatEvent<'interaction_response'> | undefined {
  const { past, answerId } = command;
  if (past?.settlement.type !== 'interaction_response') return undefined;
  const { payload } = past.settlement;
  const isPersons = payload.answerId === answerId && payload.grantId === undefined;
  return isPersons && isSameAnswer(past.request, payload, command) ? past.settlement : undefined;
}

function refusePast(head: Head, command: AnswerCommand, { request, settlement }: PastPrompt): Decision {
  const current = findCurrent(head, request);
  if (settlement.type === 'interaction_response') {
    if (settlement.payload.answerId === command.answerId) return refuse('idempotency_conflict');
    return refuse('already_answered', describeWinner(settlement, current));
  }
  if (settlement.payload.replacedBy) return refuse('stale', { current: current ?? settlement.payload.replacedBy });
  if (command.digest !== undefined && command.digest !== request.digest) return refuse('stale', { current });
  return refuse('closed', { reason: settlement.payload.reason });
}

function describeWinner(event: ChatEvent<'interaction_response'>, current: InteractionId | undefined): WinnerDetails {
  return { by: event.payload.by, at: event.timestamp, event, ...(current !== undefined && { current }) };
}

/** The prompt that is open now in the slot of a settled one. */
function findCurrent(head: Head, past: InteractionRequest): InteractionId | undefined {
  return head.prompts.find(({ request }) => request.toolCallId === past.toolCallId && request.slot === past.slot)
    ?.request.interactionId;
}

/** The claim and, for a late answer without a hook, its message: one append (INT9). */
function claim(head: Head, prompt: OpenPrompt, command: AnswerCommand, { plan, now }: Facts): Decision {
  const { request, turnId, responseId } = prompt;
  const { toolCallId, interactionId } = request;
  const { answerId, by, grantId } = command;
  const answer = completeAnswer(request, command.answer);
  const isLate = prompt.state === 'pending';
  const payload: InteractionResponse = {
    toolCallId,
    interactionId,
    answerId,
    ...withoutSecrets(request, answer),
    by,
    ...(grantId !== undefined && { grantId }),
    ...(isLate && { late: true }),
  };
  const response: NewEvent = { type: 'interaction_response', payload, turnId, responseId };
  const hasMessage = isLate && !command.hasLateHook && payload.action !== 'cancel';
  const message = hasMessage ? sendOrQueue(head, lateMessage(request, payload), plan, prompt.requesters) : [];
  return {
    kind: 'accepted',
    events: [response, ...message],
    given: { request, answer: { interactionId, ...answer, by, at: new Date(now).toISOString() } },
  };
}

function lateMessage(request: InteractionRequest, response: InteractionResponse): Message {
  const { interactionId, by: from } = response;
  const text = describeAnswer(request, response);
  return { messageId: nameLateMessage(interactionId), text, origin: 'interaction', interactionId, from };
}

/** The answer as the log may hold it: secrets are redacted (INT17). */
function withoutSecrets({ inputSchema }: InteractionRequest, { input, ...rest }: CompleteAnswer): CompleteAnswer {
  return { ...rest, ...(input && inputSchema && { input: cleanValues(inputSchema, input) }) };
}

function isSameAnswer(request: InteractionRequest, stored: InteractionResponse, { answer }: AnswerCommand): boolean {
  const { action, approvalScope, ruleId, input, editedArgs, reason } = stored;
  const repeated = withoutSecrets(request, completeAnswer(request, answer));
  return canonicalise({ action, approvalScope, ruleId, input, editedArgs, reason }) === canonicalise(repeated);
}
