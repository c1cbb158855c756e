import { hasEarlier, type ParleyClient } from '@parleyhq/client';
import { type InboxEntry, nameOf, type Payload, type Principal } from '@parleyhq/core';
import { until } from '../chat/event-feed.ts';
import type { NamedServer } from '../running-server/named-server.ts';
import { useServer } from '../running-server/use-server.ts';

type Comment = Payload<'interaction_comment'>;

/** Reads all that was said under a prompt, oldest first (REV4). */
export async function readComments(
  client: ParleyClient,
  { sessionId, interaction, comments }: InboxEntry,
): Promise<readonly Comment[]> {
  await until(client, () => client.state.connection === 'open');
  const session = client.open(sessionId);
  const read = () => {
    const item = session.state.items.get(`interaction:${interaction.interactionId}`);
    return item?.kind === 'interaction' ? (item.comments ?? []) : [];
  };
  await until(session, () => session.state.phase === 'live' || session.state.phase === 'gone');
  while (read().length < (comments?.count ?? 0) && hasEarlier(session.state)) await session.loadEarlier();
  return read().map(({ payload }) => payload);
}

/** What only a connection shows of a prompt: what was said under it, in words, and who is connected. */
export async function readMore(
  server: NamedServer,
  entry: InboxEntry,
): Promise<{ readonly said: string | undefined; readonly principal: Principal | undefined }> {
  return useServer(server, async (client) => {
    await until(client, () => client.state.connection === 'open');
    const said = entry.comments ? describeDiscussion(await readComments(client, entry)) : undefined;
    return { said, principal: client.state.welcome?.principal };
  });
}

/** Describes all that was said under a prompt, numbered as `parley comment --reply-to` counts it. */
function describeDiscussion(comments: readonly Comment[]): string {
  const numbers = new Map(comments.map(({ commentId }, at) => [commentId, at + 1]));
  const lines = comments.map(({ by, text, isAskers, replyTo }, at) => {
    const to = replyTo === undefined ? undefined : numbers.get(replyTo);
    const who = `${nameOf(by)}${isAskers ? ' (asks this)' : ''}${to === undefined ? '' : `, to comment ${to}`}`;
    return `comment ${at + 1}, ${who}: ${text.replace(/\n/g, '\n  ')}`;
  });
  return lines.join('\n');
}
