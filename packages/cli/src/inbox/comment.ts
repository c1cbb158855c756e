import { randomUUID } from 'node:crypto';
import type { ParleyClient } from '@parleyhq/client';
import type { InboxEntry } from '@parleyhq/core';
import { until } from '../chat/event-feed.ts';
import { toJsonLine, toLine } from '../io/line.ts';
import { print } from '../io/output.ts';
import { findServer } from '../running-server/named-server.ts';
import { ServerHttp } from '../running-server/server-http.ts';
import { useServer } from '../running-server/use-server.ts';
import type { ServerFlags } from '../settings/flags.ts';
import { SettingsError } from '../settings/settings.ts';
import { readComments } from './discussion.ts';
import { findEntry, readInbox } from './find-entry.ts';

export type CommentFlags = ServerFlags & { readonly replyTo?: string };

/** `parley comment`: says something under an open prompt, which settles nothing (REV4). @throws SettingsError, RefusalError */
export async function commentPrompt(
  id: string,
  text: string,
  { replyTo, json = false, ...flags }: CommentFlags,
): Promise<void> {
  if (replyTo !== undefined && !/^[1-9]\d{0,3}$/.test(replyTo))
    throw new SettingsError(`--reply-to: "${replyTo}" is not the number of a comment: parley answer ${id} shows them.`);
  const server = await findServer(flags);
  const entry = findEntry(await readInbox(new ServerHttp(server)), id);
  const reply = await useServer(server, async (client) => {
    await until(client, () => client.state.connection === 'open');
    const { sessionId, interaction } = entry;
    const asked = replyTo === undefined ? {} : { replyTo: await findComment(client, entry, Number(replyTo)) };
    const comment = { interactionId: interaction.interactionId, commentId: randomUUID(), text, ...asked };
    return client.request({ type: 'comment_interaction', sessionId, ...comment });
  });
  const words = json ? toJsonLine(reply) : toLine(`Commented on ${entry.interaction.interactionId}.`);
  await print(words, 'Your comment was stored, but the reply could not be written.');
}

/** Returns the id of a comment. @throws SettingsError if there is none of that number */
async function findComment(client: ParleyClient, entry: InboxEntry, number: number): Promise<string> {
  const comments = entry.comments ? await readComments(client, entry) : [];
  const found = comments[number - 1];
  if (found) return found.commentId;
  const { length } = comments;
  const some = length === 1 ? 'there is only comment 1' : `they are 1 to ${length}`;
  const there = length === 0 ? 'nobody has said anything yet' : some;
  throw new SettingsError(`--reply-to ${number}: there is no such comment: ${there}.`);
}
