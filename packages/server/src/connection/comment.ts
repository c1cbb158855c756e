import { type ClientFrameOf, RefusalError } from '@parleyhq/core';
import { storeComment } from '@parleyhq/runtime';
import { onBehalfOf } from './on-behalf.ts';
import type { SessionContext } from './session-frames.ts';

/** Adds a comment to a prompt that the client may see (REV4). */
export async function commentInteraction(
  context: SessionContext,
  { interactionId, commentId, text, replyTo }: ClientFrameOf<'comment_interaction'>,
): Promise<{ readonly seq: number }> {
  const { runtime, client } = context;
  const { session } = runtime;
  const toolCallId = await session.reader.findAsker(interactionId);
  if (toolCallId === undefined || session.visibility.hides(client.principal, toolCallId))
    throw new RefusalError('not_found');
  const said = { toolCallId, interactionId, commentId, text, by: client.actor };
  return storeComment(
    session,
    { ...said, ...(replyTo !== undefined && { replyTo }) },
    { ...onBehalfOf(context, ['messagesPerHour', 1]), by: client.auditActor },
  );
}
