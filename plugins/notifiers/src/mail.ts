import type { Notification, Notifier } from '@parleyhq/core';
import type { createTransport } from 'nodemailer';
import * as z from 'zod';
import { describeNews, headlineOf } from './words.ts';

/** A single address, because a one-time link in the mail is for one person (NTF3). */
const address = z.string().regex(/^[^\s,;<>"@]+@[^\s,;<>"@]+$/, 'must be a single address, such as ann@example.org');

const configSchema = z.strictObject({
  server: z.url({ protocol: /^smtps?$/, error: 'must be an address such as smtps://mail.example.org' }),
  user: z.string().optional(),
  password: z.string().optional(),
  from: address,
  to: address,
});

/** How long to wait for a mail server that does not answer, in ms. */
const silenceMs = 20_000;

/** Loaded on demand, because it takes a while and few servers send mail. */
const loadLibrary = async (): Promise<typeof createTransport> => (await import('nodemailer')).createTransport;

/** Sends notifications by mail. A sent mail cannot be withdrawn (NTF3). */
export const mail: Notifier = {
  name: 'mail',
  configSchema,
  async notify(news, { config, signal, oneTimeUrl }) {
    if (news.type === 'settled') return false;
    const { server, user, password, from, to } = config as z.infer<typeof configSchema>;
    const transport = (await loadLibrary())({
      url: server,
      ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
      connectionTimeout: silenceMs,
      greetingTimeout: silenceMs,
      socketTimeout: silenceMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const giveUp = () => transport.close();
    signal.addEventListener('abort', giveUp);
    try {
      await transport.sendMail({
        from: { name: 'Parley', address: from },
        to,
        subject: headlineOf(news),
        text: toText(news, oneTimeUrl),
        messageId: `<${news.id}@${from.split('@')[1]}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
    } catch (error) {
      throw describe(error);
    } finally {
      signal.removeEventListener('abort', giveUp);
      transport.close();
    }
    return true;
  },
};

function toText(news: Notification, oneTimeUrl: string | undefined): string {
  const links =
    oneTimeUrl === undefined
      ? [`Open it: ${news.url}`]
      : [
          `Answer it, once and without a log-in: ${oneTimeUrl}`,
          'Whoever has this link can answer in your name: do not pass this message on.',
          `Or log in: ${news.url}`,
        ];
  return [describeNews(news).join('\n'), links.join('\n\n')].join('\n\n');
}

/** Describes an error. The mail server's own text is left out, because it may repeat credentials or the mail. */
function describe(cause: unknown): Error {
  const { code, responseCode } = Object(cause) as { readonly code?: unknown; readonly responseCode?: unknown };
  const isNumber = typeof responseCode === 'number';
  const message = isNumber ? `The mail server answered with ${responseCode}.` : 'The mail server could not be reached.';
  const isFinal = isNumber && responseCode >= 500 && code !== 'EAUTH';
  return Object.assign(new Error(message, { cause }), {
    code: isNumber ? 'receiver_refused' : 'receiver_unreachable',
    isFinal,
  });
}
