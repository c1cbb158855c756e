import type { PushSubscription } from '@parleyhq/core';
import type webPush from 'web-push';
import { type OutsideOptions, OutsideRefusal, sendOutside } from './outbound.ts';
import type { PushKeys } from './push-keys.ts';

export interface PushMessage {
  readonly text: string;
  /** Topic of the message: a later one with the same topic replaces it while it waits at the push service (RFC 8030). */
  readonly topic: string;
  readonly ttlSeconds: number;
  readonly isUrgent: boolean;
}

/** Sends a message to a browser through its push service. @throws NotificationError, PushGoneError */
export type SendPush = (subscription: PushSubscription, message: PushMessage) => Promise<void>;

/** The browser's subscription no longer exists. */
export class PushGoneError extends Error {}

/** Loads the library on demand: it is slow to load, and few servers have a device. */
const loadLibrary = async (): Promise<typeof webPush> => (await import('web-push')).default;

/** Makes the sender of Web Push: encrypted for the browser (RFC 8291) and signed for its push service (RFC 8292). */
export function makeSendPush(
  { publicKey, privateKey }: PushKeys,
  { contact, ...outside }: { readonly contact: string } & OutsideOptions,
): SendPush {
  return async (subscription, { text, topic, ttlSeconds, isUrgent }) => {
    const { endpoint, method, headers, body } = (await loadLibrary()).generateRequestDetails(subscription, text, {
      vapidDetails: { subject: contact, publicKey, privateKey },
      contentEncoding: 'aes128gcm',
      TTL: ttlSeconds,
      topic,
      urgency: isUrgent ? 'high' : 'normal',
    });
    try {
      await sendOutside(endpoint, { method, headers: headers as Record<string, string>, body: body ?? '' }, outside);
    } catch (error) {
      if (error instanceof OutsideRefusal && (error.status === 404 || error.status === 410)) throw new PushGoneError();
      throw error;
    }
  };
}
