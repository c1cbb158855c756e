import type { CommentHook, InteractionHooks, InteractionRequest } from '@parleyhq/core';
import type { CallWriter } from './call-writer.ts';

/** Who replies to comments on a prompt. */
export interface Replier {
  readonly onComment: NonNullable<InteractionHooks['onComment']>;
  readonly commentsTo: NonNullable<InteractionRequest['commentsTo']>;
}

/** Returns who replies: the tool rather than the agent, and a program only to comments on its own calls (REV4). */
export function chooseReplier(
  onComment: InteractionHooks['onComment'],
  { reply, writer }: { readonly reply: CommentHook | undefined; readonly writer: Pick<CallWriter, 'call'> },
): Replier | undefined {
  if (typeof onComment === 'function') return { onComment, commentsTo: 'tool' };
  if (onComment === 'caller' && writer.call.by) return { onComment, commentsTo: 'caller' };
  return reply && { onComment: reply, commentsTo: 'agent' };
}
