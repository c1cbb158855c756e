import type { ParleyClient } from '@parleyhq/client';
import type { SessionId } from '@parleyhq/core';
import { keepForLater } from '../session/composer.ts';
import { nameSession } from './session-name.ts';
import type { Start } from './start-page.ts';

/**
 * Creates a session with its first message. Only a session takes files: if there are some, the message waits in the session's box
 * until they are uploaded and somebody sends it.
 */
export async function startSession(
  client: ParleyClient,
  { text, agent, files = [] }: Start,
  enter: (id: SessionId) => Promise<void>,
): Promise<void> {
  const title = nameSession(text || (files[0]?.name ?? ''));
  const { id } = await client.createSession({ title, ...(agent !== undefined && { agent }) });
  if (files.length > 0) {
    keepForLater({ sessionId: id, owner: '' }, { text }, files);
    return enter(id);
  }
  const session = client.open(id);
  await session.send(text);
  await enter(id);
  session.close();
}
