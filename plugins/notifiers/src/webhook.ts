import type { Notifier } from '@parleyhq/core';
import { Webhook } from 'standardwebhooks';
import * as z from 'zod';

const configSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
  /** The signing key in base64, with or without the prefix `whsec_`. */
  secret: z.string().refine(isKey, 'must be 24 to 64 bytes in base64: "openssl rand -base64 32" makes one'),
});

/** Posts notifications in the format of Standard Webhooks: signed, with an id that stays the same over retries (NTF3). */
export const webhook: Notifier = {
  name: 'webhook',
  configSchema,
  async notify(news, { config, send }) {
    const { url, secret } = config as z.infer<typeof configSchema>;
    const { type, id, ...data } = news;
    const messageId = `msg_${id}${type === 'settled' ? '.settled' : ''}`;
    const body = JSON.stringify({ type: type === 'test' ? 'test' : `prompt.${type}`, data });
    const now = new Date();
    await send(url, {
      headers: {
        'content-type': 'application/json',
        'webhook-id': messageId,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(secret).sign(messageId, now, body),
      },
      body,
    });
  },
};

function isKey(secret: string): boolean {
  const text = secret.replace(/^whsec_/, '');
  const { length } = Buffer.from(text, 'base64');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) && length >= 24 && length <= 64;
}
