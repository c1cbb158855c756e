import { type Answer, checkAnswer, completeAnswer, describeAnswer } from './answer.ts';
import { type AnswerCommand, accept, type Decision, type PastPrompt, refuse, type WinnerDetails } from './command.ts';
import { sendOrQueue } from './decide-turn.ts';
import type { ChatEvent, NewEvent } from './event.ts';
import { cleanValues } from './field.ts';
import { findPrompt, type Head, type OpenPrompt } from './head.ts';
import { type InteractionId, nameLateMessage } from './id.ts';
import type { InteractionRequest, InteractionResponse } from './interaction.ts';
import { canonicalise } from './json.ts';

/** Whether an answer takes the prompt. First response wins (INT4); the order of refusals is INT5's. */
export function decideAnswer(head: Head, command: AnswerCommand): Decision {
  const prompt = findPrompt(head, command.interactionId);
  const request = prompt?.request ?? command.past?.request;
  if (!request || request.toolCallId !== command.callId) return refuse('not_found');
  const winner = findRepeated(command);
  if (winner) return { kind: 'repeated', seq: winner.seq };
  if (!command.isAllowed) return refuse('forbidden'); // mutant: role
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
      const fieldErrors = checkAnswer(request, command.answer, command.matches) ?? demandDigest(command);
      return fieldErrors ? refuse('invalid', { fieldErrors }) : accept(...claim(head, prompt, command));
    }
    default:
      return prompt.state satisfies never;
  }
}

/** Who consents to more than this once, or to something else, says what they saw (APR2). */
function demandDigest({ digest, answer: { approvalScope = 'once', editedArgs } }: AnswerCommand) {
  const isDemanded = approvalScope !== 'once' || editedArgs !== undefined;
  return isDemanded && digest === undefined ? { digest: 'This answer needs the digest of what was shown.' } : undefined;
}

/** The response that this very answer was accepted as: its reply is the same for ever, whoever may answer by now (FRM6). */
function findRepeated(command: AnswerCommand): ChatEvent<'interaction_response'> | undefined {
  const { past, answerId } = command;
  if (past?.settlement.type !== 'interaction_response' || past.settlement.payload.answerId !== answerId)
    return undefined;
  return isSameAnswer(past.request, past.settlement.payload, command) ? past.settlement : undefined;
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

/** What is asked now in the slot of a settled prompt. */
function findCurrent(head: Head, past: InteractionRequest): InteractionId | undefined {
  return head.prompts.find(({ request }) => request.toolCallId === past.toolCallId && request.slot === past.slot)
    ?.request.interactionId;
}

/** Claim and, for a late answer without a hook, its message: one append (INT9). */
function claim(head: Head, prompt: OpenPrompt, command: AnswerCommand): readonly NewEvent[] {
  const { turnId, responseId } = prompt;
  const isLate = prompt.state === 'pending';
  const payload: InteractionResponse = {
    toolCallId: prompt.request.toolCallId,
    interactionId: prompt.request.interactionId,
    answerId: command.answerId,
    ...storedAnswer(prompt.request, command.answer),
    by: command.by,
    ...(command.grantId !== undefined && { grantId: command.grantId }),
    ...(isLate && { late: true }),
  };
  const response: NewEvent = { type: 'interaction_response', payload, turnId, responseId };
  if (!isLate || command.hasLateHook || payload.action === 'cancel') return [response];
  const { interactionId } = payload;
  const text = describeAnswer(prompt.request, payload);
  const message = {
    messageId: nameLateMessage(interactionId),
    text,
    origin: 'interaction',
    interactionId,
    from: command.by,
  } as const;
  return [response, ...sendOrQueue(head, message, command.plan)];
}

/** The answer as the log may hold it: in full, secrets redacted (INT17). */
function storedAnswer(request: InteractionRequest, answer: Answer): Answer {
  const { input, ...rest } = completeAnswer(request, answer);
  return { ...rest, ...(input && request.inputSchema && { input: cleanValues(request.inputSchema, input) }) };
}

function isSameAnswer(request: InteractionRequest, stored: InteractionResponse, { answer }: AnswerCommand): boolean {
  const { action, approvalScope, input, editedArgs, reason } = stored;
  return (
    canonicalise({ action, approvalScope, input, editedArgs, reason }) === canonicalise(storedAnswer(request, answer))
  );
}
