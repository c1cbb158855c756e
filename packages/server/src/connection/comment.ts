import { type ClientFrameOf, RefusalError } from '@parleyhq/core';
import { type Client, type SessionRuntime, storeComment } from '@parleyhq/runtime';
import { onBehalfOf } from './on-behalf.ts';
import type { Services } from './services.ts';

/** Whoever comments, and the session of the prompt. */
interface CommentContext {
  readonly runtime: SessionRuntime;
  readonly client: Pick<Client, 'principal' | 'credential' | 'actor' | 'auditActor'>;
  readonly services: Pick<Services, 'quotas'>;
}

/** Adds a comment to a prompt that the client may see (REV4). */
export async function commentInteraction(
  context: CommentContext,
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
