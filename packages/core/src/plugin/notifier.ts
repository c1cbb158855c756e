import type { Awaitable } from '../basics/awaitable.ts';
import type { Json } from '../basics/json.ts';
import type { Parameters } from '../schema/standard-schema.ts';
import type { Card, ChatAccount, ChatAnswer, ChatReply } from './card.ts';
import type { Notification } from './notification.ts';
import type { PluginState } from './plugin-state.ts';
import type { PluginLog } from './tool.ts';

/** An HTTP request that a notifier sends. */
export interface NotifierRequest {
  /** `POST` by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Services for one notification. */
export interface NotifierHost {
  /** Configuration for this person, as `configSchema` returned it. */
  readonly config: unknown;
  readonly log: PluginLog;
  /** Aborts on a timeout, or when the server stops. */
  readonly signal: AbortSignal;
  /**
   * Sends a request to the public internet, or to an address that the server's owner allows. Resolves on a status from 200 to
   * 299, and follows no redirects. Let its errors through: they state whether to retry.
   */
  send(url: string, request?: NotifierRequest): Promise<void>;
  /**
   * Opens this prompt for this person without a log-in, once. Only if the configuration enables such links, and never at high
   * risk.
   */
  readonly oneTimeUrl?: string;
  /** The linked account that is notified (CHAT2). Only for notifiers that `listen`. */
  readonly account?: ChatAccount;
  /** What the message shows and offers (CHAT3). Only for notifiers that `listen`, and not for tests. */
  readonly card?: Card;
  /** Values that survive a restart, the same as in `listen`. Only for notifiers that do. */
  readonly state?: PluginState;
  /** In `update`: what `notify` or the last `update` returned. */
  readonly message?: Json;
}

/** Services for a notifier that takes answers. Each call is for one account, and the server checks what that account may do. */
export interface ListenHost {
  /** Configuration as `configSchema` returned it. */
  readonly config: unknown;
  readonly log: PluginLog;
  /** Values that survive a restart, such as a half-filled form. */
  readonly state: PluginState;
  /**
   * Gives an answer: the only way in. Calling it again with the same answer returns the same reply, so whatever may have been lost
   * can be sent again.
   * @throws Error if it may succeed later: deliver the answer again
   */
  answer(answer: ChatAnswer, account: ChatAccount): Promise<ChatReply>;
  /** Returns a card as it is now, for example to ask for its fields. @param ticket - of the card, or of one of its actions */
  card(ticket: string, account: ChatAccount): Promise<ChatReply>;
  /** Adds a comment to the prompt (REV4). @param id - the same if the comment is delivered again, such as the id of its message */
  comment(comment: { ticket: string; text: string; id: string }, account: ChatAccount): Promise<ChatReply>;
  /**
   * Draws a card in a message, such as `card` of a reply, in turn with `update` and the other changes of the message. Does nothing if a
   * later state is shown already.
   * @param message - what identifies the message, as `notify` returned it
   * @param draw - draws it; its signal aborts when the message is to show a settled prompt instead: do not wait to try again then
   */
  redraw(message: Json, card: Pick<Card, 'state'>, draw: (signal?: AbortSignal) => Awaitable<unknown>): Promise<void>;
  /** Asks this account again later. Others are not affected, and neither is the prompt's deadline. */
  snooze(wish: { ticket: string; minutes: number }, account: ChatAccount): Promise<ChatReply>;
  /**
   * Links an account to the person who made the code (CHAT2). Only if the code came in a conversation that nobody else can read;
   * otherwise call `burn`.
   */
  link(code: string, account: ChatAccount): Promise<ChatReply>;
  /** Makes a code worthless that others may have read. */
  burn(code: string): Promise<void>;
  /** Ends the link of an account, for example because the account was deactivated or wants no more messages. */
  unlink(account: ChatAccount): Promise<ChatReply>;
}

/**
 * A way to notify people, provided by a plugin (NTF3). The configuration says whom; a notifier that `listen`s notifies the accounts
 * that people linked, each in a conversation of its own (CHAT1).
 */
export interface Notifier {
  readonly name: string;
  /** Schema of the configuration for each person. */
  readonly configSchema?: Parameters;
  /**
   * Notifies one person. Returns `false` if there was nothing to send, such as a withdrawal that this way does not support.
   * Errors are retried for about a day, unless they have `isFinal: true`; `retryAfterMs` delays the next attempt, and `code` is
   * kept. With `update`, the returned JSON value identifies the message, and each prompt has a message of its own; it is called with
   * `settled` only if the last error had `isUnclear: true`, to close the message if it was sent nevertheless.
   */
  notify(news: Notification, host: NotifierHost): Awaitable<unknown>;
  /**
   * Changes a message to `host.card`, because the prompt was settled, commented on or changed. Called again until it succeeds, also
   * after a restart. Returns the message's new identification, or nothing if that is unchanged. A message that no longer exists
   * counts as success.
   */
  update?(news: Notification, host: NotifierHost): Awaitable<unknown>;
  /**
   * Takes answers of linked accounts until `signal` aborts. Runs on one node at a time. If it throws or returns, it is started again
   * after a delay.
   */
  listen?(host: ListenHost, signal: AbortSignal): Awaitable<unknown>;
  /** How a person sends a code, for example "Send /start {code} to the bot." Only for notifiers that `listen`. */
  readonly howToLink?: string;
}
