import {
  type ChatLink,
  type Credential,
  type Instant,
  type InteractionRequest,
  isJson,
  type Json,
  type Notification,
  type NotificationDetail,
  type Notifier,
  type NotifierHost,
  type NotifierRequest,
  type PluginLog,
  type Principal,
  type QuietHours,
} from '@parleyhq/core';
import type { Tickets } from '../../auth/ticket.ts';
import { makeCardTicket } from './card-ticket.ts';
import { makeCard } from './make-card.ts';
import { callNotifier, type NotifierTargetParts } from './notifier-target.ts';
import { endOfQuiet } from './quiet-hours.ts';
import { describeSettlement } from './settlement.ts';
import type { CardContext, SentMessage, Target } from './target.ts';

export interface ChatTargetSettings {
  /** Name under which the notifier is configured. */
  readonly way: string;
  readonly notifier: Notifier;
  readonly link: ChatLink;
  readonly principal: Principal;
  readonly credential: Credential;
  readonly quiet: QuietHours | undefined;
  readonly config: unknown;
  readonly log: PluginLog;
}

export interface ChatTargetParts extends Pick<NotifierTargetParts, 'send' | 'limitMs' | 'stopping'> {
  readonly tickets: Pick<Tickets, 'mark'>;
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
    const { notifier, config, log, link } = this.#settings;
    const { message, isSnoozed = false } = context.delivery ?? {};
    const isSettled = news.type === 'settled';
    const isUpdate = notifier.update !== undefined && message !== undefined && (isSettled || !isSnoozed);
    if (isSettled && notifier.update && !isUpdate) return undefined; // nothing was sent that could be changed
    const card = this.#makeCard(news, prompt, context);
    const result = await callNotifier(this.#parts, (signal) => {
      const send = (url: string, { method = 'POST', headers = {}, body = '' }: NotifierRequest = {}) =>
        this.#parts.send(url, { method, headers, body });
      const host: NotifierHost = {
        ...{ config, log, signal, send, account: link.account },
        ...(card && { card: structuredClone(card) }),
        ...(isUpdate && { message: structuredClone(message) }),
      };
      const told = structuredClone(news);
      return isUpdate ? notifier.update?.(told, host) : notifier.notify(told, host);
    });
    if (result === false) return undefined;
    return { message: isUpdate && result === undefined ? message : readMessage(result) };
  }

  #makeCard(
    { type, sessionId, sessionTitle, url }: Notification,
    prompt: InteractionRequest | undefined,
    { past, isPending, comments }: CardContext,
  ) {
    const request = prompt ?? past?.request;
    if (!request || type === 'test') return undefined;
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
