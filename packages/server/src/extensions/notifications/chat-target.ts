import {
  type Card,
  type ChatLink,
  type Credential,
  describeClosing,
  type Instant,
  type InteractionRequest,
  isJson,
  type Json,
  type Notification,
  type NotificationDetail,
  type Notifier,
  type PluginLog,
  type Principal,
  type QuietHours,
} from '@parleyhq/core';
import type { Admission } from '../../auth/auth.ts';
import type { Tickets } from '../../auth/ticket.ts';
import { type ChatCallParts, type ChatNews, callChat } from './call-chat.ts';
import { makeCardTicket } from './card-ticket.ts';
import { makeCard, makeLostCard } from './make-card.ts';
import { endOfQuiet } from './quiet-hours.ts';
import { describeSettlement } from './settlement.ts';
import { type CardContext, NotificationError, type SentMessage, type Target } from './target.ts';

export interface ChatTargetSettings {
  /** Name under which the notifier is configured. */
  readonly way: string;
  readonly plugin: string;
  readonly notifier: Notifier;
  readonly link: ChatLink;
  readonly principal: Principal;
  readonly credential: Credential;
  readonly quiet: QuietHours | undefined;
  readonly config: unknown;
  readonly log: PluginLog;
}

export interface ChatTargetParts extends ChatCallParts {
  readonly tickets: Pick<Tickets, 'mark'>;
  /** Returns the principal that a link currently acts for. */
  readonly findHolder: (link: ChatLink) => Promise<Admission | undefined>;
  /** Ends the link of an account that cannot be written to any more. */
  readonly endLink: (link: ChatLink) => Promise<void>;
}

/** A linked account of a chat. Each prompt has a message of its own there, which is changed until it is settled (CHAT1). */
export class ChatTarget implements Target {
  readonly id: string;
  readonly way: string;
  readonly principal: Principal;
  readonly link: ChatLink;
  readonly hasCards = true;
  /** Notifications say no more than the card, which contains what its person may see. */
  readonly detail: NotificationDetail = 'none';
  readonly #settings: ChatTargetSettings;
  readonly #parts: ChatTargetParts;

  constructor(settings: ChatTargetSettings, parts: ChatTargetParts) {
    this.id = targetOf(settings.link);
    this.way = settings.way;
    this.principal = settings.principal;
    this.link = settings.link;
    this.#settings = settings;
    this.#parts = parts;
  }

  freeAt(now: Instant): Instant {
    return endOfQuiet(this.#settings.quiet, now);
  }

  async notify(
    news: Notification,
    prompt: InteractionRequest | undefined,
    context: CardContext = {},
  ): Promise<SentMessage | undefined> {
    const { notifier } = this.#settings;
    const { message, isUnclear = false, isSnoozed = false } = context.delivery ?? {};
    const isSettled = news.type === 'settled';
    const isUpdate = notifier.update !== undefined && message !== undefined && (isSettled || !isSnoozed);
    if (isSettled && notifier.update && !isUpdate && !isUnclear) return undefined; // nothing was sent that could be changed
    if (!isSettled && !(await this.#parts.findHolder(this.link))) return undefined; // its link has ended a moment ago
    const card = this.#makeCard(news, prompt, context);
    if (card && message !== undefined && !isUpdate) await this.#leave(message, news, card);
    const told = { news, card, message: isUpdate ? message : undefined };
    const result = await this.#call(told);
    if (result === false) return undefined;
    return { message: isUpdate && result === undefined ? message : readMessage(result) };
  }

  /** @throws NotificationError */
  async #call(told: ChatNews): Promise<unknown> {
    try {
      return await callChat(this.#parts, this.#settings, told);
    } catch (error) {
      if (error instanceof NotificationError && error.code === 'account_gone') await this.#parts.endLink(this.link);
      throw error;
    }
  }

  /**
   * Takes the buttons from a message in whose place another one is sent: the chat may have failed to when it was postponed, and only
   * the newest message is known from now on. One that cannot be changed for good prevents no other.
   */
  async #leave(message: Json, { comment: _, ...news }: Notification, card: Card): Promise<void> {
    if (!this.#settings.notifier.update) return;
    const left: Card = { ...card, state: 'snoozed', outcome: 'Asked again', actions: [] };
    try {
      await callChat(this.#parts, this.#settings, { news, card: left, message });
    } catch (error) {
      if (!(error instanceof NotificationError && error.isFinal)) throw error;
    }
  }

  #makeCard(news: Notification, prompt: InteractionRequest | undefined, { past, isPending, comments }: CardContext) {
    const { type, sessionId, sessionTitle, url } = news;
    const request = prompt ?? past?.request;
    if (!request) return type === 'settled' ? makeLostCard(news, describeClosing('session_ended')) : undefined;
    if (type === 'test') return undefined;
    const card = { target: this.id, sessionId, request };
    return makeCard({
      ...{ request, sessionTitle, url, isPending, comments },
      state: type === 'settled' ? 'settled' : 'open',
      outcome: past && describeSettlement(past),
      ticketFor: (code) => makeCardTicket(this.#parts.tickets, card, code),
    });
  }
}

/** Returns the id of a linked account in deliveries. */
export function targetOf({ notifier, id }: Pick<ChatLink, 'notifier' | 'id'>): string {
  return `${notifier}:${id}`;
}

/** Returns what a notifier returned as the identification of its message, if it can be stored. */
function readMessage(result: unknown): Json | undefined {
  return result === undefined || result === true || !isJson(result) ? undefined : result;
}
