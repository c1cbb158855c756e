import { commentKey, type Payload, personOf, RefusalError } from '@parleyhq/core';
import type { SessionWriter } from './session-writer.ts';
import { storeOnce } from './store-once.ts';
import type { Transaction } from './transact.ts';

type Comment = Payload<'interaction_comment'>;

/**
 * Stores what somebody said under a prompt (REV4). A repeated commentId gets the first reply again, also after a restart (FRM6).
 * @throws RefusalError `closed`, `invalid`, `not_found`, `idempotency_conflict`
 */
export async function storeComment(
  session: SessionWriter,
  comment: Comment,
  behalf: Omit<Transaction, 'command'>,
): Promise<{ readonly seq: number }> {
  const { interactionId, commentId, replyTo } = comment;
  const stored = await storeOnce(session, [commentKey(interactionId, commentId)], async () => {
    const isReplyUnknown = replyTo !== undefined && !(await hasComment(session, interactionId, replyTo));
    return { command: { type: 'comment', comment, isReplyUnknown }, ...behalf };
  });
  if (!isSame(stored.payload as Comment, comment))
    throw new RefusalError('idempotency_conflict', {
      message: 'This commentId was used before, with another text or by somebody else.',
    });
  return { seq: stored.seq };
}

async function hasComment({ reader }: SessionWriter, interactionId: string, commentId: string): Promise<boolean> {
  return (await reader.findEvent(commentKey(interactionId, commentId))) !== undefined;
}

function isSame(stored: Comment, comment: Comment): boolean {
  return (
    stored.text === comment.text && stored.replyTo === comment.replyTo && personOf(stored.by) === personOf(comment.by)
  );
}
