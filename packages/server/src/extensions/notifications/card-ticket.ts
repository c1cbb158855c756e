import type { InteractionRequest, PromptRef } from '@parleyhq/core';
import { hashOf } from '@parleyhq/runtime';
import type { Tickets } from '../../auth/ticket.ts';

/** What a ticket of a card does: `k` identifies the card, the others answer; `s` with a number is the option of that index. */
export type CardCode = 'k' | 'a' | 'd' | 'c' | 's' | `s${number}`;

/** A ticket of a card as it was pressed. It names its card by a hash, because buttons of chats have room for 64 bytes only. */
export interface PressedTicket {
  readonly cardKey: string;
  readonly code: CardCode;
  readonly mark: string;
}

/** The prompt and the account of a card. `target` is that of its delivery. */
export interface CardRef {
  readonly target: string;
  readonly sessionId: string;
  readonly request: Pick<InteractionRequest, 'interactionId' | 'toolCallId' | 'digest'>;
}

const ticketPattern = /^([\w-]{16})\.(k|a|d|c|s\d?)\.([\w-]{22})$/;

/** Returns the name of a card in its tickets. */
export function cardKeyOf({ sessionId, interactionId }: PromptRef, target: string): string {
  return hashOf([sessionId, interactionId, target].join(' ')).slice(0, 16);
}

/** Returns a ticket for one use of a card by its account (CHAT3). */
export function makeCardTicket(tickets: Pick<Tickets, 'mark'>, card: CardRef, code: CardCode): string {
  const { target, sessionId, request } = card;
  const key = cardKeyOf({ sessionId, interactionId: request.interactionId }, target);
  return `${key}.${code}.${tickets.mark('chat', subjectOf(card, code))}`;
}

/** Reads a ticket without verifying it. Undefined if it cannot be one. */
export function readCardTicket(ticket: string): PressedTicket | undefined {
  const [, cardKey, code, mark] = ticketPattern.exec(ticket) ?? [];
  if (cardKey === undefined || code === undefined || mark === undefined) return undefined;
  return { cardKey, code: code as CardCode, mark };
}

/** Whether a ticket was made for this card and for what it says. */
export function isTicketOf(tickets: Pick<Tickets, 'isMarkOf'>, card: CardRef, { code, mark }: PressedTicket): boolean {
  return tickets.isMarkOf('chat', subjectOf(card, code), mark);
}

function subjectOf({ target, sessionId, request: { interactionId, toolCallId, digest } }: CardRef, code: CardCode) {
  return { target, sessionId, interactionId, toolCallId, digest, code };
}
