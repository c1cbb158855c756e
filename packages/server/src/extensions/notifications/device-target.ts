import {
  type Credential,
  cutText,
  type Device,
  type Instant,
  type InteractionRequest,
  type Notification,
  type NotificationDetail,
  type Principal,
} from '@parleyhq/core';
import { hashOf } from '@parleyhq/runtime';
import type { Tickets } from '../../auth/ticket.ts';
import type { TokenHolder } from '../../auth/token-watch.ts';
import { buttonsFor } from './buttons.ts';
import { endOfQuiet } from './quiet-hours.ts';
import { NotificationError, type SentMessage, type Target } from './target.ts';
import { pushWay } from './ways.ts';
import { PushGoneError, type SendPush } from './web-push.ts';

/** In ms: within this time after a notification, further ones of the same session are silent on the device. */
const silentMs = 60_000;

/** In seconds: how long a push service keeps a message for a device that is off, if its prompt has no deadline. */
const longestTtl = 24 * 3600;

/** In characters: a push message has 4,096 bytes at most. */
const maxTextLength = 200;

/** Content of a push message: the notification and, if the device may show them, a short subject and answers (NTF2). */
export interface PushNews extends Notification {
  readonly subject?: string;
  readonly buttons: readonly { readonly action: 'approve' | 'deny'; readonly token: string }[];
  readonly isSilent: boolean;
}

export interface DeviceTargetParts {
  readonly send: SendPush;
  readonly tickets: Pick<Tickets, 'sign'>;
  readonly now: () => Instant;
  /** Called when its login has ended, or the browser's subscription has expired. */
  readonly onGone: (target: DeviceTarget) => void;
}

/** A browser that receives notifications by Web Push. */
export class DeviceTarget implements Target, TokenHolder {
  readonly id: string;
  readonly way = pushWay;
  readonly device: Device;
  readonly principal: Principal;
  readonly #parts: DeviceTargetParts;
  readonly #notifiedAt = new Map<string, Instant>();

  constructor(device: Device, principal: Principal, parts: DeviceTargetParts) {
    this.id = `device:${device.id}`;
    this.device = device;
    this.principal = principal;
    this.#parts = parts;
  }

  get credential(): Credential {
    return this.device.credential;
  }

  get detail(): NotificationDetail {
    return this.device.detail;
  }

  expel(): void {
    this.#parts.onGone(this);
  }

  freeAt(now: Instant): Instant {
    return endOfQuiet(this.device.quiet, now);
  }

  async notify(news: Notification, prompt: InteractionRequest | undefined): Promise<SentMessage> {
    const { send, now } = this.#parts;
    const text = JSON.stringify(this.#toMessage(news, prompt));
    const leftMs = news.expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(news.expiresAt) - now();
    const ttlSeconds = Math.max(1, Math.min(longestTtl, Math.ceil(leftMs / 1000)));
    const isUrgent = news.type !== 'settled';
    try {
      await send(this.device.subscription, { text, topic: hashOf(news.sessionId), ttlSeconds, isUrgent });
      return {};
    } catch (error) {
      if (!(error instanceof PushGoneError)) throw error;
      this.#parts.onGone(this);
      throw new NotificationError('device_gone', 'The browser accepts no more messages.', {
        cause: error,
        isFinal: true,
      });
    }
  }

  #toMessage(news: Notification, prompt: InteractionRequest | undefined): PushNews {
    const { tickets, now } = this.#parts;
    const { sessionId, sessionTitle, title, count } = news;
    const isOne = prompt !== undefined && count === 1; // with several it would be unclear which one a button answers
    const buttons = isOne
      ? buttonsFor(this.device, prompt).map((action) => ({
          action,
          token: tickets.sign('button', { ...prompt, device: this.device.id, sessionId, action }),
        }))
      : [];
    const mayAllow = buttons.some(({ action }) => action === 'approve');
    const notifiedAt = this.#notifiedAt.get(sessionId) ?? Number.NEGATIVE_INFINITY;
    if (news.type === 'waiting') this.#notifiedAt.set(sessionId, now());
    else this.#notifiedAt.delete(sessionId);
    return {
      ...news,
      sessionTitle: cutText(sessionTitle, maxTextLength),
      ...(title !== undefined && { title: cutText(title, maxTextLength) }),
      ...(mayAllow && prompt?.subject && { subject: prompt.subject.text }),
      buttons,
      isSilent: news.type === 'settled' || now() - notifiedAt < silentMs,
    };
  }
}
