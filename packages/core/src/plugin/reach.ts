import * as z from 'zod/mini';
import type { Epoch, InteractionId, SessionId } from '../basics/id.ts';
import type { InteractionType } from '../prompt/interaction.ts';
import type { Credential } from '../prompt/token.ts';

/** How much a notification says of a prompt: nothing, its title, or its title and a short subject (NTF1, NTF2). */
export const newsDetails = ['none', 'title', 'subject'] as const;
export type NewsDetail = (typeof newsDetails)[number];

const clockTime = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, as 22:30'));

/** When a device is not to be disturbed, by the clock of its time zone. Equal times mean never. */
export const quietHoursSchema = z.object({
  from: clockTime,
  to: clockTime,
  timeZone: z.string().check(z.refine(isTimeZone, 'must be a time zone, as Europe/Berlin')),
});
export type QuietHours = z.infer<typeof quietHoursSchema>;

/** Where a browser's push service takes messages for it, and the keys that they are encrypted with (RFC 8291). */
export const pushSubscriptionSchema = z.object({
  endpoint: z.string().check(z.maxLength(2000), z.refine(isWebAddress, 'must be an http or https address')),
  keys: z.object({
    p256dh: z.string().check(z.regex(/^[A-Za-z0-9_-]{87}={0,2}$/, 'must be 65 bytes in base64url')),
    auth: z.string().check(z.regex(/^[A-Za-z0-9_-]{22}={0,2}$/, 'must be 16 bytes in base64url')),
  }),
});
export type PushSubscription = z.infer<typeof pushSubscriptionSchema>;

/** A browser that wants to be told (NTF2). */
export interface Device {
  readonly id: string;
  readonly createdAt: string;
  /** Whose it is: told is what this may answer, as long as the credential lets in. */
  readonly principal: string;
  readonly credential: Credential;
  readonly subscription: PushSubscription;
  /** What its person knows it by. */
  readonly name: string;
  readonly detail: NewsDetail;
  readonly quiet?: QuietHours;
}

export const deliveryStates = ['due', 'sent', 'failed', 'withdrawn'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** That somebody is told of a prompt, in one way (NTF4). There is one for each prompt and target. */
export interface Delivery {
  readonly interactionId: InteractionId;
  readonly sessionId: SessionId;
  /** `device:<id>`, or `<notifier>:<principal>`. */
  readonly target: string;
  readonly principal: string;
  /** Those of another epoch are void (NTF3). */
  readonly epoch: Epoch;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** When it came into this state; of one that is due, when it is tried next. In ISO 8601. */
  readonly at: string;
  /** What was told last. */
  readonly news?: News;
  /** Why the last attempt failed: a code, and a sentence. */
  readonly code?: string;
  readonly fault?: string;
}

/** What a notifier is told (NTF1): never prompt, subject or values. */
export interface News {
  /** `waiting`: somebody is asked. `settled`: nobody needs to answer any more. `test`: to see that it arrives. */
  readonly type: 'waiting' | 'settled' | 'test';
  /** The same each time that this is tried. */
  readonly id: string;
  /** Whom it is for. */
  readonly to: { readonly principal: string; readonly name?: string };
  readonly sessionId: SessionId;
  readonly sessionTitle: string;
  /** The newest of the prompts that it is about. */
  readonly interactionId: InteractionId;
  /** How many prompts of this session wait for this person. */
  readonly count: number;
  readonly kind: InteractionType;
  readonly risk?: 'low' | 'medium' | 'high';
  /** Until when it can be answered, in ISO 8601. */
  readonly expiresAt?: string;
  /** The prompt's title, where `detail` says so. */
  readonly title?: string;
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

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
