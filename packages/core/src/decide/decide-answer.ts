import { type InteractionId, nameLateMessage } from '../basics/id.ts';
import { canonicalise } from '../basics/json.ts';
import type { ChatEvent, Message, NewEvent, Payload } from '../log/event.ts';
import { findCall, findPrompt, type Head } from '../log/head.ts';
import type { OpenPrompt } from '../log/prompt-life.ts';
import { isUnchangeable, maxVoteChanges, type Vote } from '../log/vote.ts';
import type { Remarks } from '../prompt/annotation.ts';
import { checkAnnotations } from '../prompt/annotation-check.ts';
import { checkAnswer, completeAnswer, describeAnswer, withoutSecrets } from '../prompt/answer.ts';
import { checkAttachments } from '../prompt/attachment-check.ts';
import type { InteractionResponse } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { needsSeveral, needsVotes } from '../prompt/quorum.ts';
import { mayAnswer, mayEdit, ownerOf, personOf } from '../prompt/role.ts';
import { needsStepUp } from '../prompt/step-up.ts';
import {
  type AnswerCommand,
  accept,
  type Decision,
  type Facts,
  type PastPrompt,
  refuse,
  type WinnerDetails,
} from './command.ts';
import { sendOrQueue } from './decide-turn.ts';
import { asVote, countVote, findCast, isGrantVote } from './decide-vote.ts';

/**
 * Decides whether an answer wins its prompt. The first response wins (INT4) or, if votes are counted, the deciding vote
 * (TEAM3). INT5 defines the order of refusals.
 */
export function decideAnswer(head: Head, given: AnswerCommand, facts: Facts): Decision {
  const prompt = findPrompt(head, given.interactionId);
  const request = prompt?.request ?? given.past?.request;
  if (!request || request.toolCallId !== given.callId) return refuse('not_found');
  const command = asVote(given, request);
  const winner = findRepeated(command);
  if (winner) return { kind: 'repeated', seq: winner.seq };
  const cast = findCast(prompt, command);
  if (cast && isSameVote(cast, command)) return { kind: 'repeated', seq: cast.seq, votes: cast.votes };
  if (command.isOutsider || isGrantVote(command, request)) return refuse('forbidden');
  const { approvalScope = request.consents } = command.answer;
  if (!mayAnswer(command.principal, request, approvalScope)) return refuse('forbidden'); // mutant: role
  if (command.answer.editedArgs !== undefined && !mayEdit(command.principal, request)) return refuseEdit();
  if (!command.isEnabled) return refuse('interaction_disabled');
  if (cast) return refuse('idempotency_conflict');
  if (!prompt) return refusePast(head, command, command.past as PastPrompt);
  if (command.digest !== undefined && command.digest !== request.digest) {
    return refuse('stale', { current: request.interactionId }, changedWords); // mutant: digest
  }
  switch (prompt.state) {
    case 'expired':
      return refuse('retry_later'); // onTimeout is deciding; the client sends it again
    case 'open':
    case 'pending': {
      const faults = checkAnswer(asksOf(command, request), command.answer, facts.matches);
      if (faults && ofForm(command, request)) return refuse('invalid', { fieldErrors: faults });
      const fieldErrors =
        faults ??
        checkAnnotations(request, command.answer) ??
        checkAttachments(request, command.answer, findCall(head, request.toolCallId)) ??
        demandDigest(command, request);
      if (fieldErrors) return refuse('invalid', { fieldErrors }, Object.values(fieldErrors)[0]);
      if (needsStepUp(request, command.answer.action) && !isSigned(command)) return refuseUnsigned(command); // mutant: step-up
      return needsVotes(request) ? vote(head, prompt, command, facts) : claim(head, prompt, command, facts);
    }
    default:
      return prompt.state satisfies never;
  }
}

/** Whether a passkey of the person signed the answer, or the one that gave the grant which answers (SIGN2). */
function isSigned({ stepUp, isOfSignedGrant = false }: AnswerCommand): boolean {
  return isOfSignedGrant || stepUp?.assertion !== undefined;
}

function refuseUnsigned({ stepUp }: AnswerCommand): Decision {
  return refuse('step_up_required', stepUp?.url === undefined ? undefined : { url: stepUp.url }, stepUp?.fault);
}

/** Returns the assertion as it is stored: only with an answer that needed it. */
function assertionOf(
  { stepUp, answer }: AnswerCommand,
  request: InteractionRequest,
): Pick<InteractionResponse, 'assertion'> {
  const { assertion } = stepUp ?? {};
  return assertion && needsStepUp(request, answer.action) ? { assertion } : {};
}

/** Records a vote, or settles the prompt if the vote decides. */
function vote(head: Head, prompt: OpenPrompt, command: AnswerCommand, facts: Facts): Decision {
  const { votes, isDecisive, last, struck, agreeing } = countVote(prompt, command);
  if (last && isUnchangeable(last)) {
    return refuse('forbidden', undefined, `You changed your vote ${maxVoteChanges} times: it stays as it is.`);
  }
  const counted = { votes, ...(struck.length > 0 && { struck }) };
  if (isDecisive) return { ...claim(head, prompt, command, facts, counted), voters: agreeing };
  const { turnId, responseId, request } = prompt;
  const { toolCallId, interactionId } = request;
  const { action, reason, annotations } = completeAnswer(request, command.answer);
  const payload: Payload<'interaction_vote'> = {
    toolCallId,
    interactionId,
    answerId: command.answerId,
    action: action === 'approve' ? 'approve' : 'deny',
    ...(reason !== undefined && { reason }),
    ...(annotations && { annotations }),
    by: command.by,
    ...assertionOf(command, request),
    ...counted,
  };
  return accept({ type: 'interaction_vote', payload, turnId, responseId });
}

/** Whether a vote repeats the person's own. Treating another person's vote under the same answerId as a repeat would lose it. */
function isSameVote(
  { action, by }: Pick<Vote, 'action' | 'by'>,
  { answer, principal, pastVote }: AnswerCommand,
): boolean {
  const isSaidSame = pastVote === undefined || isSameText(pastVote.payload, answer);
  return isSaidSame && action === answer.action && personOf(by) === ownerOf(principal);
}

type SaidText = Omit<Remarks, 'files'>;

function isSameText(stored: SaidText, { reason, annotations = [] }: SaidText): boolean {
  return canonicalise([stored.reason, stored.annotations ?? []]) === canonicalise([reason, annotations]);
}

/** Whether the errors of the answer belong to the fields of a form. */
function ofForm({ answer }: AnswerCommand, { inputSchema }: InteractionRequest): boolean {
  return answer.action === 'submit' && inputSchema !== undefined;
}

const changedWords = 'This is not what is shown now: read it again.';

/** Refuses an edit by somebody who may not approve their own request (TEAM2). */
function refuseEdit(): Decision {
  const words =
    'An edit is a request of your own, which somebody else must approve: allow what was asked, or deny it and say what you want.';
  return refuse('forbidden', undefined, words);
}

/** Drops the required reason for an answer by a grant, because its giver was asked about something else (TEAM5). */
function asksOf({ grantId }: AnswerCommand, request: InteractionRequest): InteractionRequest {
  if (grantId === undefined) return request;
  const { reasonRequired: _, ...rest } = request;
  return rest;
}

/**
 * Requires the digest, as proof of what the person saw, if the consent is for more than once or for edited arguments, if several
 * people decide, or if the answer quotes what it saw (APR2, TEAM3, REV1).
 */
function demandDigest(
  { digest, answer: { approvalScope = 'once', editedArgs, annotations = [] } }: AnswerCommand,
  request: InteractionRequest,
) {
  const isDemanded =
    approvalScope !== 'once' || editedArgs !== undefined || annotations.length > 0 || needsSeveral(request);
  return isDemanded && digest === undefined ? { digest: 'This answer needs the digest of what was shown.' } : undefined;
}

/**
 * Returns the response that this same answer became. A repeat always gets the same reply, even if the answer would now be
 * forbidden (FRM6). A grant's answer cannot be repeated, because its answerId is predictable.
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

/** Returns the prompt that is now open in the slot of a settled one. */
function findCurrent(head: Head, past: InteractionRequest): InteractionId | undefined {
  return head.prompts.find(({ request }) => request.toolCallId === past.toolCallId && request.slot === past.slot)
    ?.request.interactionId;
}

/** Settles the prompt and, for a late answer without a hook, adds its message in the same append (INT9). */
function claim(
  head: Head,
  prompt: OpenPrompt,
  command: AnswerCommand,
  { plan, now }: Facts,
  counted: Pick<InteractionResponse, 'votes' | 'struck'> = {},
): Extract<Decision, { kind: 'accepted' }> {
  const { request, turnId, responseId } = prompt;
  const { toolCallId, interactionId } = request;
  const { answerId, by, grantId, rule } = command;
  const answer = completeAnswer(request, command.answer);
  const isLate = prompt.state === 'pending';
  const payload: InteractionResponse = {
    toolCallId,
    interactionId,
    answerId,
    ...withoutSecrets(request, answer),
    by,
    ...(grantId !== undefined && { grantId }),
    ...(rule !== undefined && { rule }),
    ...(isLate && { late: true }),
    ...assertionOf(command, request),
    ...counted,
  };
  const response: NewEvent = { type: 'interaction_response', payload, turnId, responseId };
  const hasMessage = isLate && !command.hasLateHook && payload.action !== 'cancel';
  const message = hasMessage ? sendOrQueue(head, lateMessage(request, payload), plan, prompt.requesters) : [];
  return {
    kind: 'accepted',
    events: [response, ...message],
    given: {
      request,
      answer: { interactionId, ...answer, by, at: new Date(now).toISOString() },
      ...(payload.assertion && { passkey: payload.assertion.credentialId }),
    },
  };
}

function lateMessage(request: InteractionRequest, response: InteractionResponse): Message {
  const { interactionId, by: from } = response;
  const text = describeAnswer(request, response);
  return { messageId: nameLateMessage(interactionId), text, origin: 'interaction', interactionId, from };
}

function isSameAnswer(request: InteractionRequest, stored: InteractionResponse, { answer }: AnswerCommand): boolean {
  const repeated = withoutSecrets(request, completeAnswer(request, answer));
  return canonicalise(completeAnswer(request, stored)) === canonicalise(repeated); // earlier versions filled in no checkboxes
}
