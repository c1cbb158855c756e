import { type ChatEvent, type FileReference, messageKey, queuedKey, type Upload } from '@parleyhq/core';
import type { SessionWriter } from '@parleyhq/runtime';

/** How long the file of a message that is not sent can be sent, in ms. */
export const keptMs = 86_400_000;

/** Whether an upload for a message began longer ago than this; one for an answer stays as long as its call. */
export function isForgotten({ toolCallId, begunAt = 0 }: Upload, ms: number): boolean {
  return toolCallId === undefined && Date.now() - begunAt > ms;
}

/** Returns the files of a message, sent or queued; undefined if there is no such message. */
export async function findMessageFiles(
  { reader }: Pick<SessionWriter, 'reader'>,
  messageId: string,
): Promise<readonly FileReference[] | undefined> {
  const text = (await reader.findEvent(messageKey(messageId))) ?? (await reader.findEvent(queuedKey(messageId)));
  if (text === undefined) return undefined;
  const { payload } = JSON.parse(text) as ChatEvent<'user_message'>;
  return payload.files ?? [];
}

/** Whether the message that was to name an upload is stored. */
export async function isSent(
  session: Pick<SessionWriter, 'reader'>,
  { fileId, messageId }: Pick<Upload, 'fileId' | 'messageId'>,
): Promise<boolean> {
  const files = messageId === undefined ? undefined : await findMessageFiles(session, messageId);
  return files?.some((file) => file.fileId === fileId) ?? false;
}
