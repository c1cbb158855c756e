import {
  type CommentSummary,
  type InteractionRequest,
  type Notification,
  type NotificationDetail,
  type Principal,
  titleOf,
} from '@parleyhq/core';
import { hashOf } from '@parleyhq/runtime';
import type { Entry } from '../inbox/inbox-entries.ts';

/** A waiting prompt and its request. */
export type WaitingPrompt = Pick<Entry, 'sessionId' | 'sessionTitle'> &
  Partial<Pick<Entry, 'isPending' | 'comments'>> & {
    readonly interaction: InteractionRequest;
    /** The comment that it is about, if the recipient was notified of the prompt before. */
    readonly comment?: CommentSummary | undefined;
  };

/** Returns the notification about prompts of one session, the newest last (NTF1). It contains no prompt, subject or values. */
export function newsOf(
  prompts: readonly WaitingPrompt[],
  to: Pick<Principal, 'id' | 'name'>,
  options: {
    readonly target: string;
    readonly count: number;
    readonly detail: NotificationDetail;
    readonly baseUrl: string;
  },
): Notification {
  const { sessionId, sessionTitle, interaction, comment } = prompts.at(-1) as WaitingPrompt;
  const { interactionId, interactionType: kind, risk, expiresAt } = interaction;
  const title = titleOf(interaction);
  return {
    type: 'waiting',
    id: hashOf([sessionId, interactionId, options.target, ...(comment ? [comment.seq] : [])].join(' ')),
    to: { principal: to.id, ...(to.name !== undefined && { name: to.name }) },
    sessionId,
    sessionTitle,
    interactionId,
    count: options.count,
    kind,
    ...(risk !== undefined && { risk }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(options.detail !== 'none' && title !== undefined && { title }),
    ...(comment && { comment: options.detail === 'none' ? {} : { by: comment.by } }),
    url: linkTo({ sessionId, interactionId }, options.baseUrl),
  };
}

/** Returns the link to a prompt in the page (WEB6). */
export function linkTo(
  { sessionId, interactionId }: Pick<Notification, 'sessionId' | 'interactionId'>,
  baseUrl: string,
): string {
  return `${baseUrl.replace(/\/+$/, '')}/s/${encodeURIComponent(sessionId)}/${encodeURIComponent(interactionId)}`;
}

/** Returns a test notification. */
export function makeTestNotification(
  to: Pick<Principal, 'id' | 'name'>,
  options: { id: string; baseUrl: string },
): Notification {
  return {
    type: 'test',
    id: options.id,
    to: { principal: to.id, ...(to.name !== undefined && { name: to.name }) },
    sessionId: '',
    sessionTitle: 'Parley',
    interactionId: '',
    count: 0,
    kind: 'approval',
    url: options.baseUrl,
  };
}
