import {
  type CommentSummary,
  type Delivery,
  type Instant,
  type InteractionRequest,
  ownerOf,
  type SessionId,
} from '@parleyhq/core';
import type { Entry } from '../inbox/inbox-entries.ts';
import { maxAttempts, retryDelay } from './retry.ts';
import { type CardContext, NotificationError, type SentMessage, type Target } from './target.ts';

/** What an attempt is about. */
export interface AttemptOptions {
  readonly prompt?: InteractionRequest | undefined;
  readonly context?: CardContext;
  readonly isLast: boolean;
}

/** Result of an attempt to notify somebody. */
export type Attempt = SentMessage | 'nothing' | NotificationError;

/**
 * Returns what an attempt leaves of a delivery: its state, and when it entered that or is tried again. A prompt whose earlier message
 * is still there counts as sent: the message must be closed. What was sent counts from when the attempt began, because a comment made
 * since then is not in it.
 * @param earlier - the delivery before this attempt
 */
export function judge(
  result: Attempt,
  {
    attempts,
    begun,
    now,
    earlier,
  }: {
    readonly attempts: number;
    readonly begun: Instant;
    readonly now: Instant;
    readonly earlier?: Delivery | undefined;
  },
): Pick<Delivery, 'state' | 'code' | 'fault' | 'message' | 'isUnclear' | 'isSnoozed'> & { readonly at: Instant } {
  const kept = earlier?.message !== undefined && { message: earlier.message };
  if (result === 'nothing') return { state: 'withdrawn', at: now, ...kept };
  if (!(result instanceof NotificationError)) {
    const { message } = result;
    return { state: 'sent', at: begun, ...(message === undefined ? kept : { message }) };
  }
  const { code, message: fault, isFinal, retryAfterMs } = result;
  if (isFinal || attempts >= maxAttempts) return { state: kept ? 'sent' : 'failed', at: now, code, fault, ...kept };
  const isUnclear = (result.isUnclear || earlier?.isUnclear === true) && { isUnclear: true };
  const isSnoozed = earlier?.isSnoozed === true && { isSnoozed: true };
  return {
    state: 'due',
    at: now + retryDelay(attempts, retryAfterMs),
    code,
    fault,
    ...kept,
    ...isUnclear,
    ...isSnoozed,
  };
}

/**
 * Returns the comment of which somebody must be notified although they were notified of the prompt: one by somebody else since then
 * (REV4).
 */
export function findNews(
  { comments }: Pick<Entry, 'comments'>,
  known: Delivery | undefined,
  { principal }: Target,
): CommentSummary | undefined {
  if (!comments || comments.person === ownerOf(principal)) return undefined;
  if (known?.state === 'due') return known.news?.comment && comments; // the next attempt
  return known?.state === 'sent' && comments.at > known.at ? comments : undefined;
}

export function groupBySession<Item extends { readonly sessionId: SessionId }>(items: readonly Item[]): Item[][] {
  const groups = new Map<SessionId, Item[]>();
  for (const item of items) groups.set(item.sessionId, [...(groups.get(item.sessionId) ?? []), item]);
  return [...groups.values()];
}
