import type { Answer } from '../prompt/answer.ts';
import type { Audience } from '../prompt/audience.ts';
import type { ApprovalScope, CloseReason } from '../prompt/interaction.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import { type Quorum, quorumOf, type Tally } from '../prompt/quorum.ts';
import type { AllowedRule, CallbackOutcome } from './event.ts';

/** Returns the words for a known value. A value of a later release is shown verbatim, so that every log stays readable (EVT5). */
export function wordFor<Word extends string>(words: Readonly<Record<Word, string>>, word: Word): string {
  return Object.hasOwn(words, word) ? words[word] : word;
}

const allowed: Readonly<Record<ApprovalScope, string>> = {
  once: 'Allowed once',
  session: 'Allowed for this session',
  always: 'Always allowed',
};

/** Describes an answer in two or three words, the same on the page and in exported transcripts (RPL3, RPL5). */
export function describeResponse(
  request: InteractionRequest | undefined,
  response: Pick<Answer, 'action' | 'approvalScope'>,
): string {
  switch (response.action) {
    case 'approve':
      return request?.interactionType === 'url' ? 'Opened' : wordFor(allowed, response.approvalScope ?? 'once');
    case 'deny':
      return 'Denied';
    case 'submit':
      return 'Submitted';
    case 'cancel':
      return 'Cancelled';
    default:
      return response.action satisfies never;
  }
}

const closings: Readonly<Record<CloseReason, string>> = {
  timeout: 'Timed out: nobody answered in time',
  cancelled: 'Cancelled: no longer needed',
  superseded: 'Superseded by a newer question',
  handler_error: 'Closed: its tool failed',
  orphaned: 'Orphaned: its tool no longer exists',
  session_ended: 'Closed with its session',
  withdrawn: 'Withdrawn: its caller needs it no longer',
};

/** Describes why a prompt closed without an answer (RPL3). */
export function describeClosing(reason: CloseReason): string {
  return wordFor(closings, reason);
}

const callbackWords: Readonly<Record<CallbackOutcome, string>> = {
  received: 'came from outside',
  timeout: 'did not come in time',
  withdrawn: 'is not needed any longer',
};

/** Describes the outcome of a callback, to follow its key (PLG11). */
export function describeCallback(outcome: CallbackOutcome): string {
  return wordFor(callbackWords, outcome);
}

/** Describes the number of votes that decides, as "2 approvals or 1 denial" (TEAM3). */
export function describeQuorum(request: { readonly decide?: Quorum | undefined }): string {
  const { approve, deny } = quorumOf(request);
  return `${count(approve, 'approval')} or ${count(deny, 'denial')}`;
}

function count(n: number, word: string): string {
  return `${n} ${word}${n === 1 ? '' : 's'}`;
}

const ownVotes = { approve: 'you approved', deny: 'you denied' };

/** Describes the current votes, as "1 of 2 approvals: you approved" (TEAM3). @param own - the reader's vote */
export function describeVotes(
  request: { readonly decide?: Quorum | undefined },
  { approve, deny }: Tally,
  own?: keyof Tally,
): string {
  const needed = quorumOf(request);
  const yes = `${approve} of ${count(needed.approve, 'approval')}`;
  const all = deny === 0 ? yes : `${yes}, ${deny} of ${count(needed.deny, 'denial')}`;
  return own ? `${all}: ${ownVotes[own]}` : all;
}

const answerWords = { approve: 'a yes', deny: 'a no', submit: 'an answer', cancel: 'a cancel' };

/** Describes which answers need a reason, as "a yes and a no" (TEAM5). */
export function describeReasons(actions: NonNullable<InteractionRequest['reasonRequired']>): string {
  return actions.map((action) => wordFor(answerWords, action)).join(' and ');
}

/** Describes who is asked, in a few words (TEAM1). The names are untrusted text. */
export function describeAudience({ role, roles, principals }: Audience): string {
  const least = role === 'operator' || roles?.includes('responder') === false ? 'operators' : 'everybody who answers';
  return principals ? principals.join(', ') : least;
}

/** Error message of the calls in a turn that a person stopped. */
export const stopWords = 'The turn was stopped by a person.';

/** Describes how long a rule holds. */
export function nameRuleScope({ scope }: Pick<AllowedRule, 'scope'>): string {
  return scope === 'always' ? 'in every session' : 'in this session';
}
