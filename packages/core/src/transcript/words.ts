import type { Actor, ApprovalScope, CloseReason, InteractionRequest, InteractionResponse } from '../interaction.ts';
import { type Line, line } from './line.ts';

/** Who did it, and from where. */
export function describeActor({ principal, name, label, clientId, transport }: Actor): Line {
  const place = label === undefined ? line`${clientId}` : line`${label} (client ${clientId})`;
  return line`${name ?? principal}, from ${place} over ${transport}`;
}

/** Unknown words of a later release are shown as they are (EVT5). */
export function wordFor<Word extends string>(words: Readonly<Record<Word, string>>, word: Word): string {
  return Object.hasOwn(words, word) ? words[word] : word;
}

export const scopeWords: Record<ApprovalScope, string> = {
  once: 'once',
  session: 'for this session',
  always: 'always',
};

/** What was answered, as a verb that "by …" can follow. */
export function describeAction(request: InteractionRequest | undefined, response: InteractionResponse): string {
  switch (response.action) {
    case 'approve':
      return request?.interactionType === 'url'
        ? 'Opened'
        : `Allowed ${wordFor(scopeWords, response.approvalScope ?? 'once')}`;
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

export const closings: Record<CloseReason, string> = {
  timeout: 'Timed out: nobody answered in time',
  cancelled: 'Cancelled: no longer needed',
  superseded: 'Superseded by a newer question',
  handler_error: 'Closed: its tool failed',
  orphaned: 'Orphaned: its tool is gone',
  session_ended: 'Closed with its session',
};

export const typeWords: Record<InteractionRequest['interactionType'], string> = {
  approval: 'Approval asked for',
  input: 'Question',
  url: 'Address to open',
};
