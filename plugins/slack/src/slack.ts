import { setTimeout as pause } from 'node:timers/promises';
import { type Card, isRecord } from '@parleyhq/core';
import type { KnownBlock, ModalView } from '@slack/types';
import { type Logger, LogLevel, WebClient, type WebClientOptions } from '@slack/web-api';
import type { SlackConfig } from './config.ts';
import { cardBlockOf, drawCard, readCardBlock } from './draw-card.ts';
import { SlackError, toSlackError } from './slack-error.ts';
import { escapeText } from './text.ts';

/** Identifies a message; it is stored with the delivery (CHAT1). */
export type Place = {
  readonly channel: string;
  readonly ts: string;
};

/** A card that is in a conversation already. */
interface FoundCard {
  readonly place: Place;
  /** Whether it shows what became of its prompt: somebody pressed a button of it meanwhile. */
  readonly isSettled: boolean;
}

/** In ms: a shorter wait that Slack asks for is waited for within the call. */
const shortestDelay = 5000;

/** How many messages of a conversation are searched for one that was sent before a crash. */
const mostSearched = 50;

/** In ms: time limit of one request. */
const timeout = 8000;

/** The libraries log texts and, in detail, bodies; the server logs what matters itself. */
const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Options of the libraries: nothing is repeated by them, because the server repeats what may succeed later. */
export function clientOptions({ apiUrl }: SlackConfig) {
  return {
    logger: silent,
    options: {
      slackApiUrl: apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      allowAbsoluteUrls: false,
      timeout,
    } satisfies WebClientOptions,
  };
}

const workspaces = new Map<string, Slack>();

/** Returns the workspace of a configuration: one for all who send to it, because it knows its conversations. */
export function slackOf(config: SlackConfig): Slack {
  const key = `${config.apiUrl} ${config.botToken}`;
  const known = workspaces.get(key) ?? new Slack(config);
  workspaces.set(key, known);
  return known;
}

/** A workspace of Slack, as its bot sees it. All errors are `SlackError`s. */
export class Slack {
  readonly #web: WebClient;
  /** Conversations with people, by user. */
  readonly #channels = new Map<string, string>();
  /**
   * By conversation, the cards that were in it when it was last read, by ticket: an earlier process, or a call that failed, may have
   * sent one of which nobody knows.
   */
  readonly #left = new Map<string, Map<string, FoundCard>>();

  constructor(config: SlackConfig) {
    const { logger, options } = clientOptions(config);
    this.#web = new WebClient(config.botToken, { logger, ...options });
  }

  /** Returns the id of the workspace. */
  async readTeam(): Promise<string> {
    const { team_id: team = '' } = await call(() => this.#web.auth.test());
    return team;
  }

  /** Returns the current name of a user; undefined if it cannot be read. */
  async findName(user: string): Promise<string | undefined> {
    const found = await call(() => this.#web.users.info({ user })).catch(() => undefined); // only a name for people
    return found?.user?.name;
  }

  /**
   * Sends a card to a user. A card that was sent already is changed instead, so that no other stays behind: that is looked for the first
   * time in a conversation, and after a call whose outcome is unknown.
   * @param signal - aborts when it takes too long: whether it was sent is unknown then
   */
  async sendCard(user: string, card: Card, signal?: AbortSignal): Promise<Place> {
    const channel = await this.#openChannel(user, signal);
    return (await this.#changeLeft(channel, card, signal)) ?? this.#post(channel, drawCard(card), { signal });
  }

  /** Closes a card that may have been sent. Returns whether it was. */
  async closeCard(user: string, card: Card, signal?: AbortSignal): Promise<boolean> {
    const channel = await this.#openChannel(user, signal);
    return (await this.#changeLeft(channel, card, signal)) !== undefined;
  }

  /** Sends a text. @param thread - message below which it stands */
  async sendText(channel: string, text: string, thread?: string): Promise<void> {
    await this.#post(channel, { text: escapeText(text) }, { thread });
  }

  /** Sends a text to a user, in their conversation with the bot. */
  async sendTo(user: string, text: string): Promise<Place> {
    return this.#post(await this.#openChannel(user), { text: escapeText(text) });
  }

  /** Shows a text to one user of a channel. */
  async whisper(channel: string, user: string, text: string): Promise<void> {
    await call(() => this.#web.chat.postEphemeral({ channel, user, text: escapeText(text) }));
  }

  /** Redraws a message. One that was deleted needs no change. @param signal - aborts if it is not worth another attempt any more */
  async change(place: Place, card: Card, signal?: AbortSignal): Promise<void> {
    const update = () => this.#web.chat.update({ ...place, ...drawCard(card), parse: 'none', link_names: false });
    await call(update, signal).catch((error: unknown) => {
      if (!(error instanceof SlackError && error.isGone)) throw error;
    });
    this.#left.get(place.channel)?.delete(card.ticket);
  }

  async openModal(trigger: string, view: ModalView): Promise<void> {
    await call(() => this.#web.views.open({ trigger_id: trigger, view }));
  }

  /** Returns the ticket of the card that a message is; undefined if it is another message. */
  async findTicket({ channel, ts }: Place): Promise<string | undefined> {
    const { messages = [] } = await call(() => this.#web.conversations.replies({ channel, ts, limit: 1 }));
    return readCardBlock(firstBlockOf(messages[0]));
  }

  async #openChannel(user: string, signal?: AbortSignal): Promise<string> {
    const known = this.#channels.get(user);
    if (known !== undefined) return known;
    const open = () => this.#web.conversations.open({ users: user });
    const opened = await call(open, signal).catch((error: unknown) => {
      const isLimited = error instanceof SlackError && ['missing_scope', 'unknown_method'].includes(error.code);
      if (!isLimited) throw error;
      return undefined; // a message to a user opens the conversation, too
    });
    const channel = opened?.channel?.id ?? user;
    this.#channels.set(user, channel);
    return channel;
  }

  /** Changes a card that was left in a conversation, unless that is over. @returns undefined if there is none */
  async #changeLeft(channel: string, card: Card, signal?: AbortSignal): Promise<Place | undefined> {
    const left = this.#left.get(channel) ?? (await this.#listCards(channel, signal));
    this.#left.set(channel, left);
    const found = left.get(card.ticket);
    if (found && !found.isSettled) await this.change(found.place, card, signal);
    return found?.place;
  }

  /** Lists the cards among the last messages, by ticket; not those in whose place another one is sent. */
  async #listCards(channel: string, signal?: AbortSignal): Promise<Map<string, FoundCard>> {
    const read = () => this.#web.conversations.history({ channel, limit: mostSearched });
    const { messages = [] } = await call(read, signal).catch((error: unknown) => {
      const isLater = error instanceof SlackError && (error.isUnclear || error.code === 'rate_limited');
      if (isLater) throw error;
      return { messages: [] }; // without the scope for it, a crash may leave a second card
    });
    const cards = new Map<string, FoundCard>();
    for (const message of messages.toReversed()) {
      const block = firstBlockOf(message);
      const ticket = readCardBlock(block);
      const { ts } = message;
      if (ticket === undefined || ts === undefined || block === cardBlockOf('snoozed', ticket)) continue;
      cards.set(ticket, { place: { channel, ts }, isSettled: block === cardBlockOf('settled', ticket) });
    }
    return cards;
  }

  async #post(
    channel: string,
    drawing: { text: string; blocks?: KnownBlock[] },
    { thread, signal }: { thread?: string | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<Place> {
    const plain = { parse: 'none' as const, link_names: false, unfurl_links: false, unfurl_media: false };
    const below = thread === undefined ? {} : { thread_ts: thread };
    try {
      const post = () => this.#web.chat.postMessage({ channel, ...drawing, ...plain, ...below });
      const sent = await call(() => notAfter(signal, post()), signal);
      return { channel: sent.channel ?? channel, ts: sent.ts ?? '' };
    } catch (error) {
      this.#left.delete(channel); // it may have been sent nevertheless
      throw error;
    }
  }
}

function firstBlockOf(message: unknown): string | undefined {
  const blocks = isRecord(message) && Array.isArray(message.blocks) ? message.blocks : [];
  const [block] = blocks;
  return isRecord(block) && typeof block.block_id === 'string' ? block.block_id : undefined;
}

/** Calls Slack, again after a short wait if it asks for one. Nothing is begun any more once the signal aborts. @throws SlackError */
async function call<Result>(send: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (signal?.aborted) throw new SlackError('unreachable');
  try {
    return await send();
  } catch (error) {
    const fault = toSlackError(error);
    const { retryAfterMs = Number.POSITIVE_INFINITY } = fault;
    if (retryAfterMs > shortestDelay) throw fault;
    await pause(retryAfterMs, undefined, { ...(signal && { signal }) }).catch(() => Promise.reject(fault));
  }
  try {
    return await send();
  } catch (error) {
    throw toSlackError(error);
  }
}

/** Waits for a reply of Slack until the signal aborts: what became of the call is unknown then. @throws SlackError */
async function notAfter<Result>(signal: AbortSignal | undefined, reply: Promise<Result>): Promise<Result> {
  let stop = () => {};
  const late = new Promise<never>((_, reject) => {
    stop = () => reject(new SlackError('unreachable'));
  });
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.race([reply, late]);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}
