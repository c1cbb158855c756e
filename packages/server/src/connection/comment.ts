import {
  type ClientFrameOf,
  commentKey,
  type Payload,
  personOf,
  RefusalError,
  requestKey,
  type ToolCallId,
} from '@parleyhq/core';
import type { SessionWriter, Transaction } from '@parleyhq/runtime';
import { onBehalfOf } from './on-behalf.ts';
import type { SessionContext } from './session-frames.ts';
import { storeOnce } from './store-once.ts';

type CommentFrame = ClientFrameOf<'comment_interaction'>;
type Comment = Payload<'interaction_comment'>;

/**
 * Adds a comment to a prompt that the client may see (REV4). A repeated commentId gets the first reply again, also after a restart
 * (FRM6).
 */
export async function commentInteraction(context: SessionContext, frame: CommentFrame): Promise<{ seq: number }> {
  const { runtime, client } = context;
  const { session } = runtime;
  const { interactionId, commentId, text, replyTo } = frame;
  const toolCallId = await findAsker(session, interactionId);
  if (toolCallId === undefined || session.visibility.hides(client.principal, toolCallId))
    throw new RefusalError('not_found');
  const comment: Comment = {
    toolCallId,
    interactionId,
    commentId,
    text,
    by: client.actor,
    ...(replyTo !== undefined && { replyTo }),
  };
  const behalf = { ...onBehalfOf(context, ['messagesPerHour', 1]), by: client.auditActor };
  const stored = await storeOnce(session, [commentKey(interactionId, commentId)], async (): Promise<Transaction> => {
    const isReplyUnknown = replyTo !== undefined && !(await hasComment(session, interactionId, replyTo));
    return { command: { type: 'comment', comment, isReplyUnknown }, ...behalf };
  });
  if (!isSame(stored.payload as Comment, comment))
    throw new RefusalError('idempotency_conflict', { message: 'This commentId was used before with another content.' });
  return { seq: stored.seq };
}

/** Returns the call of a prompt, settled or not. */
async function findAsker(session: SessionWriter, interactionId: string): Promise<ToolCallId | undefined> {
  const text = await session.reader.findEvent(requestKey(interactionId));
  return text === undefined ? undefined : JSON.parse(text).payload.toolCallId;
}

async function hasComment({ reader }: SessionWriter, interactionId: string, commentId: string): Promise<boolean> {
  return (await reader.findEvent(commentKey(interactionId, commentId))) !== undefined;
}

function isSame(stored: Comment, comment: Comment): boolean {
  return (
    stored.text === comment.text && stored.replyTo === comment.replyTo && personOf(stored.by) === personOf(comment.by)
  );
}
