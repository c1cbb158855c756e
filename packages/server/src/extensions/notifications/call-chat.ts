import {
  type Card,
  type ChatLink,
  canonicalise,
  type Json,
  type Notification,
  type Notifier,
  type NotifierHost,
  type NotifierRequest,
  type PluginLog,
  type PluginState,
} from '@parleyhq/core';
import type { CardTurns } from './card-turns.ts';
import { callNotifier, type NotifierTargetParts } from './notifier-target.ts';

/** A chat, and the account that is notified; undefined if that is not linked any more. */
export interface ChatCallee {
  /** Name under which the notifier is configured. */
  readonly way: string;
  readonly plugin: string;
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

export interface ChatCallParts extends Pick<NotifierTargetParts, 'send' | 'limitMs' | 'stopping'> {
  readonly turns: CardTurns;
  readonly stateOf: (chat: Pick<ChatCallee, 'way' | 'plugin'>) => PluginState;
}

/** Has a notifier change a message of its chat in its turn, or send one. @throws NotificationError */
export async function callChat(
  parts: ChatCallParts,
  { way, plugin, notifier, config, log, link }: ChatCallee,
  { news, card, message }: ChatNews,
): Promise<unknown> {
  const call = () =>
    callNotifier(parts, (signal) => {
      const send = (url: string, { method = 'POST', headers = {}, body = '' }: NotifierRequest = {}) =>
        parts.send(url, { method, headers, body });
      const host: NotifierHost = {
        ...{ config, log, signal, send, state: parts.stateOf({ way, plugin }) },
        ...(link && { account: link.account }),
        ...(card && { card: structuredClone(card) }),
        ...(message !== undefined && { message: structuredClone(message) }),
      };
      const told = structuredClone(news);
      return message === undefined ? notifier.notify(told, host) : notifier.update?.(told, host);
    });
  if (message === undefined) return call();
  return parts.turns.run(keyOfMessage(way, message), card?.state === 'settled', call);
}

/** Returns the key of a message among those of all chats. */
export function keyOfMessage(way: string, message: Json): string {
  return `${way} ${canonicalise(message)}`;
}
