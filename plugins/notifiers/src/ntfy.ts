import type { Notification, Notifier } from '@parleyhq/core';
import * as z from 'zod';
import { describeNews, headlineOf } from './words.ts';

const configSchema = z.strictObject({
  server: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).default('https://ntfy.sh'),
  topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be up to 64 letters, digits, "-" and "_"'),
  token: z.string().min(1).optional(),
});

/** Priorities of ntfy: 3 is the default, 5 the highest. */
const priorities = { low: 2, medium: 3, high: 4 } as const;

/**
 * Publishes notifications to an ntfy server. The server and everybody who knows the topic can read them, so actions only open the
 * card, which needs a log-in (NTF3). A session has one notification at a time, which is deleted when no prompt waits any more.
 */
export const ntfy: Notifier = {
  name: 'ntfy',
  configSchema,
  async notify(news, { config, send }) {
    const { server, topic, token } = config as z.infer<typeof configSchema>;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const base = server.replace(/\/+$/, '');
    if (news.type !== 'settled') {
      const message = { topic, ...toMessage(news) };
      await send(`${base}/`, {
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      });
    } else if (news.count === 0) {
      await send(`${base}/${topic}/${encodeURIComponent(sequenceOf(news))}`, { method: 'DELETE', headers });
    } else return false; // other prompts of the session still wait
    return true;
  },
};

function toMessage(news: Notification): object {
  const { risk = 'medium', url } = news;
  return {
    title: headlineOf(news),
    message: describeNews(news).join('\n'),
    priority: priorities[risk],
    click: url,
    actions: [{ action: 'view', label: 'Open', url, clear: true }],
    ...(news.type === 'waiting' && { sequence_id: sequenceOf(news) }),
  };
}

/** Returns the id under which messages replace each other: up to 64 letters, digits, "-" and "_". */
function sequenceOf({ sessionId }: Notification): string {
  return sessionId.replace(/[^-_A-Za-z0-9]/g, '_').slice(0, 64);
}
