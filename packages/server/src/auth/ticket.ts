import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Epoch } from '@parleyhq/core';
import { hashOf } from '@parleyhq/runtime';
import * as z from 'zod';

const prompt = { sessionId: z.string(), interactionId: z.string(), toolCallId: z.string(), digest: z.string() };
const wait = z.object({ sessionId: z.string(), toolCallId: z.string(), key: z.string() });

/** Everything that may be done with a ticket, by its kind. The order of members is part of the ticket. */
const subjects = {
  /** Gives one answer to one prompt: a button of a notification on one device (NTF2). */
  button: z.object({ device: z.string(), ...prompt, action: z.enum(['approve', 'deny']) }),
  /** Opens one prompt for one person and answers it: a one-time link (NTF3). */
  card: z.object({
    ...{ target: z.string(), principal: z.string(), ...prompt },
    /** When the token of its principal was created; in no link of an earlier release, and not in those of the owner. */
    since: z.string().optional(),
  }),
  /** Ends one wait of a call, by a program that posts (PLG11). */
  callback: wait,
  /** Ends one wait of a call, by a browser that comes back (PLG11). */
  return: wait,
  /** What a browser that is sent to the provider of log-ins must bring back (SIGN1). */
  oidc: z.object({
    ...{ state: z.string(), nonce: z.string(), verifier: z.string(), to: z.string(), until: z.number() },
    /** The log-in that shows again who it is (SEC9): its cookie is not sent with the return, which another site caused. */
    again: z.object({ principal: z.string(), loginHash: z.string() }).optional(),
  }),
  /** Completes the addition or removal of a passkey, by the log-in that began it (SIGN2). */
  passkey: z.object({
    ...{ person: z.string(), login: z.string(), purpose: z.string() },
    ...{ origin: z.string(), challenge: z.string(), until: z.number() },
  }),
  /** Gives one answer to one prompt, by one linked account of a chat, or identifies the prompt's card there (CHAT3). */
  chat: z.object({ target: z.string(), ...prompt, code: z.string() }),
  /** Fetches a file that was attached to an answer, by the program that asked (REV6). */
  file: z.object({ sessionId: z.string(), toolCallId: z.string(), fileId: z.string(), until: z.number() }),
};

/** Buttons that were sent by an earlier release name no kind. */
const headSchema = z.object({ for: z.string().default('button'), epoch: z.string() });

/** In characters of base64url: a whole signature. */
const signatureLength = 43;

/** In characters of base64url: the first 128 bits of a signature. */
const markLength = 22;

/** In characters; longer tickets cannot be ours. */
const maxLength = 4000;

export type TicketKind = keyof typeof subjects;

/** What a ticket is for. */
export type Subject<K extends TicketKind> = Readonly<z.infer<(typeof subjects)[K]>>;

/** The subject of a verified ticket. */
export type Ticket<K extends TicketKind> = Subject<K> & {
  /** The same whenever this ticket is presented: whatever is stored under it happens once. */
  readonly ticketId: string;
};

/**
 * Signs and verifies everything that Parley hands out so that whoever brings it back may do one thing. Nobody else can make a
 * ticket, and it is valid only as its own kind and in its own epoch; a subject always has the same ticket. Using it once is up to
 * the log, which settles a prompt or a wait once. Log-in codes are not tickets: they are random, and the store deletes the hash of a used one (SEC2).
 */
export class Tickets {
  readonly #key: Buffer;
  readonly #epoch: Epoch;

  /** @param key - in base64url */
  constructor(key: string, epoch: Epoch) {
    this.#key = Buffer.from(key, 'base64url');
    this.#epoch = epoch;
  }

  /** Returns the ticket of a subject; it consists of characters that need no encoding in a URL. */
  sign<K extends TicketKind>(kind: K, subject: Subject<K>): string {
    const value = { for: kind, epoch: this.#epoch, ...subjects[kind].parse(subject) };
    return this.#sign(Buffer.from(JSON.stringify(value)).toString('base64url'));
  }

  /** Verifies a ticket. Undefined if it was not signed here, is of another kind or epoch, or too long. */
  read<K extends TicketKind>(kind: K, ticket: string): Ticket<K> | undefined {
    if (ticket.length > maxLength) return undefined;
    const [body = ''] = ticket.split('.', 1);
    // compared as text: base64 has several spellings of the same bytes, but a ticket has only one
    if (!isSameText(ticket, this.#sign(body))) return undefined;
    const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    const head = headSchema.safeParse(value).data;
    if (head?.for !== kind || head.epoch !== this.#epoch) return undefined;
    const subject = subjects[kind].safeParse(value).data as Subject<K> | undefined;
    return subject && { ...subject, ticketId: hashOf(ticket) };
  }

  /**
   * Returns a short signature of a subject, for messages with little room. Whoever verifies it must know the subject, because the
   * signature does not contain it.
   */
  mark<K extends TicketKind>(kind: K, subject: Subject<K>): string {
    return this.sign(kind, subject).slice(-signatureLength).slice(0, markLength);
  }

  /** Whether a short signature is that of a subject, of this kind and epoch. */
  isMarkOf<K extends TicketKind>(kind: K, subject: Subject<K>, mark: string): boolean {
    return isSameText(mark, this.mark(kind, subject));
  }

  #sign(body: string): string {
    return `${body}.${createHmac('sha256', this.#key).update(body).digest('base64url')}`;
  }
}

/** Compares texts in a time that depends only on their lengths. */
export function isSameText(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
