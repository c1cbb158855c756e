import type { ChatAccount, ListenHost } from '@parleyhq/core';
import type { Links } from './links.ts';
import type { Message } from './payload.ts';
import type { Slack } from './slack.ts';

/** `link CODE`, also with the marks that Slack puts around pasted text. */
const linkPattern = /^\W*link\W+([a-z0-9-]{8,64})\W*$/i;
/** Whatever may be a code, anywhere in a text: one that others could read is worthless. */
const leakPattern = /\b[0-9a-z]{16}\b/gi;
/** The only messages that are more than a person's words, but have some. */
const subtypes: readonly (string | undefined)[] = [undefined, 'thread_broadcast', 'file_share'];

const help =
  'Send “link CODE” with a code from Parley to be asked here. Reply in the thread of a question to comment on it. “unlink” ends it.';
const burnt = 'Others could read this code, so it is void. Make a new one, and send it to me in a direct message.';

export interface MessageParts {
  readonly host: ListenHost;
  readonly slack: Slack;
  readonly links: Links;
  readonly keep: <Reply>(work: () => Promise<Reply>) => Promise<Reply>;
}

/**
 * Handles a message that somebody wrote. Only in a direct message does the bot link accounts or take comments; elsewhere it says
 * nothing that others could read (CHAT2).
 */
export async function readMessage(
  { event }: Message,
  account: ChatAccount,
  { host, slack, links, keep }: MessageParts,
): Promise<void> {
  const { subtype, bot_id: bot, user, channel, channel_type: kind, text, ts, thread_ts: thread } = event;
  if (user === undefined || bot !== undefined || !subtypes.includes(subtype)) return;
  const isPrivate = kind === undefined ? channel.startsWith('D') : kind === 'im';
  const leaked = text.match(leakPattern) ?? [];
  if (!isPrivate) {
    for (const code of leaked) await host.burn(code);
    const isMeant = leaked.length > 0 && /\blink\b/i.test(text);
    if (isMeant) await slack.whisper(channel, user, burnt).catch(() => undefined); // the code is void either way
    return;
  }
  const code = thread === undefined ? linkPattern.exec(text)?.[1] : undefined; // in a thread it may be a comment
  if (code !== undefined) {
    const name = await slack.findName(user);
    const linked = await keep(() => links.link(code, { ...account, ...(name !== undefined && { name }) }, ts));
    await answer(linked.text);
  } else if (/^\W*unlink\W*$/i.test(text)) {
    const ended = await keep(() => links.unlink(account, ts));
    if (ended) await answer(ended.text);
  } else {
    const ticket = thread === undefined ? undefined : await slack.findTicket({ channel, ts: thread });
    if (ticket === undefined) return answer(help);
    for (const each of leaked) await host.burn(each); // others read the comment
    await answer((await keep(() => host.comment({ ticket, text: unescapeText(text), id: ts }, account))).text);
  }

  async function answer(words: string): Promise<void> {
    try {
      await slack.sendText(channel, words, thread);
    } catch (error) {
      host.log.debug('a message of Slack was handled, but could not be answered', { error: String(error) });
    }
  }
}

/** Returns a text as it was typed: Slack escapes three characters. */
function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
