import { type Limit, limits } from '../basics/limits.ts';
import { hasVisible } from '../basics/visible-text.ts';
import { findPrompt, type Head } from '../log/head.ts';
import { countBytes } from '../log/open-size.ts';
import { accept, type Command, type Decision, refuse } from './command.ts';

/** Adds a comment to a prompt that is not settled yet (REV4). */
export function decideComment(
  head: Head,
  { comment, isReplyUnknown = false }: Extract<Command, { type: 'comment' }>,
): Decision {
  const prompt = findPrompt(head, comment.interactionId);
  if (!prompt) return refuse('closed');
  if (!hasVisible(comment.text)) return refuseText('A comment needs a visible character.');
  if (countBytes(comment.text) > limits.commentBytes)
    return refuseText(`A comment may have ${limits.commentBytes / 1024} KiB: this one is longer.`, 'commentBytes');
  if (isReplyUnknown) return refuse('not_found', undefined, 'The comment that this one replies to does not exist.');
  const { count = 0, replies = 0 } = prompt.comments ?? {};
  const [known, most] = comment.isAskers ? [replies, 2 * limits.comments] : [count - replies, limits.comments];
  if (known >= most)
    // each side has its own number, so that neither can silence the other
    return refuse(
      'invalid',
      { limit: 'comments' },
      `A prompt may have ${most} ${comment.isAskers ? 'replies' : 'comments'}: this one has them.`,
    );
  const { turnId, responseId } = prompt;
  return accept({ type: 'interaction_comment', payload: comment, turnId, responseId });
}

function refuseText(text: string, limit?: Limit): Decision {
  return refuse('invalid', { fieldErrors: { text }, ...(limit && { limit }) }, text);
}
