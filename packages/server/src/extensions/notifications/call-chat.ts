import type {
  Card,
  ChatLink,
  Json,
  Notification,
  Notifier,
  NotifierHost,
  NotifierRequest,
  PluginLog,
} from '@parleyhq/core';
import { callNotifier, type NotifierTargetParts } from './notifier-target.ts';

/** A chat, and the account that is notified; undefined if that is not linked any more. */
export interface ChatCallee {
  readonly notifier: Notifier;
  readonly config: unknown;
  readonly log: PluginLog;
  readonly link?: Pick<ChatLink, 'account'> | undefined;
}

/** What a chat is to show. */
export interface ChatNews {
  readonly news: Notification;
  readonly card: Card | undefined;
  /** The message to change; undefined if one is to be sent. */
  readonly message: Json | undefined;
}

/** Has a notifier change a message of its chat, or send one. @throws NotificationError */
export function callChat(
  parts: Pick<NotifierTargetParts, 'send' | 'limitMs' | 'stopping'>,
  { notifier, config, log, link }: ChatCallee,
  { news, card, message }: ChatNews,
): Promise<unknown> {
  return callNotifier(parts, (signal) => {
    const send = (url: string, { method = 'POST', headers = {}, body = '' }: NotifierRequest = {}) =>
      parts.send(url, { method, headers, body });
    const host: NotifierHost = {
      ...{ config, log, signal, send },
      ...(link && { account: link.account }),
      ...(card && { card: structuredClone(card) }),
      ...(message !== undefined && { message: structuredClone(message) }),
    };
    const told = structuredClone(news);
    return message === undefined ? notifier.notify(told, host) : notifier.update?.(told, host);
  });
}
