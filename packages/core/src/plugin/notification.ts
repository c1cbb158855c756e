import * as z from 'zod/mini';
import type { Epoch, InteractionId, SessionId } from '../basics/id.ts';
import type { Json } from '../basics/json.ts';
import { type InteractionType, isWebAddress } from '../prompt/interaction.ts';
import type { Credential } from '../prompt/token.ts';

/** Content of a notification about a prompt: nothing, its title, or its title and a short subject (NTF1, NTF2). */
export const notificationDetails = ['none', 'title', 'subject'] as const;
export type NotificationDetail = (typeof notificationDetails)[number];

const clockTime = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, as 22:30'));

/** Period in which a device is not disturbed, by the clock of its time zone. Equal times mean never. */
export const quietHoursSchema = z.object({
  from: clockTime,
  to: clockTime,
  timeZone: z.string().check(z.refine(isTimeZone, 'must be a time zone, as Europe/Berlin')),
});
export type QuietHours = z.infer<typeof quietHoursSchema>;

/** Address of a browser's push service, and the keys for encrypting messages (RFC 8291). */
export const pushSubscriptionSchema = z.object({
  endpoint: z.string().check(z.maxLength(2000), z.refine(isWebAddress, 'must be an http or https address')),
  keys: z.object({
    p256dh: z.string().check(z.regex(/^[A-Za-z0-9_-]{87}={0,2}$/, 'must be 65 bytes in base64url')),
    auth: z.string().check(z.regex(/^[A-Za-z0-9_-]{22}={0,2}$/, 'must be 16 bytes in base64url')),
  }),
});
export type PushSubscription = z.infer<typeof pushSubscriptionSchema>;

/** A browser that receives push notifications (NTF2). */
export interface Device {
  readonly id: string;
  readonly createdAt: string;
  /** Owner of the device; notified only of prompts they may answer, while the credential is valid. */
  readonly principal: string;
  readonly credential: Credential;
  readonly subscription: PushSubscription;
  /** Name of the device for its owner. */
  readonly name: string;
  readonly detail: NotificationDetail;
  readonly quiet?: QuietHours;
}

export const deliveryStates = ['due', 'sent', 'failed', 'withdrawn'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A notification of somebody about a prompt, in one way (NTF4). There is one for each prompt and target. */
export interface Delivery {
  readonly interactionId: InteractionId;
  readonly sessionId: SessionId;
  /** `device:<id>`, `<notifier>:<principal>`, or `<notifier>:<link>` for a linked account (CHAT2). */
  readonly target: string;
  readonly principal: string;
  /** Deliveries of another epoch are void (NTF3). */
  readonly epoch: Epoch;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** ISO 8601 time at which it entered this state or, if due, of the next attempt. */
  readonly at: string;
  /** Last notification that was sent. */
  readonly news?: Notification;
  /** Identification of the sent message, if it can be changed (CHAT1). */
  readonly message?: Json;
  /** Whether it may have been sent although the last attempt failed: the notifier looks for the message when the prompt is settled. */
  readonly isUnclear?: boolean;
  /** Whether its recipient postponed it: they are notified again, by another message. */
  readonly isSnoozed?: boolean;
  /** Error code and message of the last failed attempt. */
  readonly code?: string;
  readonly fault?: string;
}

/** A notification for a notifier (NTF1); it never contains prompt, subject or values. */
export interface Notification {
  /** `waiting`: somebody is asked. `settled`: nobody needs to answer any more. `test`: checks that notifications arrive. */
  readonly type: 'waiting' | 'settled' | 'test';
  /** The same in each attempt. */
  readonly id: string;
  /** Recipient. */
  readonly to: { readonly principal: string; readonly name?: string };
  readonly sessionId: SessionId;
  readonly sessionTitle: string;
  /** The newest of the prompts that it is about. */
  readonly interactionId: InteractionId;
  /** Number of prompts of this session that wait for this person. */
  readonly count: number;
  readonly kind: InteractionType;
  readonly risk?: 'low' | 'medium' | 'high';
  /** ISO 8601 time until which it can be answered. */
  readonly expiresAt?: string;
  /** The prompt's title, if the recipient's `detail` allows it. */
  readonly title?: string;
  /**
   * Set if somebody commented on the prompt after this recipient was notified of it (REV4); `by` is their name, if the recipient's
   * `detail` allows it.
   */
  readonly comment?: { readonly by?: string };
  /** Opens the prompt in the page, after a log-in. */
  readonly url: string;
}

/** Whether this runtime knows a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
