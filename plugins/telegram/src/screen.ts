import { type Card, type ChatReply, cutText, type PluginLog } from '@parleyhq/core';
import type { Api } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { draw } from './draw.ts';
import { attempt, attemptEdit } from './failure.ts';

/** A message in a chat. */
export interface Where {
  readonly chat: number;
  readonly message: number;
}

type SendOptions = NonNullable<Parameters<Api['sendMessage']>[2]>;

/** In characters: the longest text of a notice above the chat. */
const longestNotice = 200;

/**
 * Shows what was decided. That is stored already, so whatever cannot be shown is only reported: the person sees it in Parley, and
 * the server changes the card again.
 */
export class Screen {
  readonly #api: Api;
  readonly #log: PluginLog;

  constructor(api: Api, log: PluginLog) {
    this.#api = api;
    this.#log = log;
  }

  /** Sends a message. @returns its id; undefined if it could not be sent */
  async say(chat: number, text: string, more: SendOptions = {}): Promise<number | undefined> {
    const sent = await this.#try(() => attempt(() => this.#api.sendMessage(chat, text, more)));
    return sent?.message_id;
  }

  /** Replaces a message with a text without buttons. */
  async replace({ chat, message }: Where, text: string): Promise<void> {
    await this.#try(() => attemptEdit(() => this.#api.editMessageText(chat, message, text)));
  }

  /** Shows a card in a message that exists. */
  async show({ chat, message }: Where, card: Card): Promise<void> {
    const { text, ...more } = draw(card);
    await this.#try(() => attemptEdit(() => this.#api.editMessageText(chat, message, text, more)));
  }

  /**
   * Shows a card whose prompt may be settled meanwhile. The server has changed the message then, perhaps before the card was drawn
   * over it; so the card is read once more.
   * @throws what `read` throws
   */
  async showLatest(where: Where, card: Card, read: () => Promise<ChatReply>): Promise<void> {
    await this.show(where, card);
    if (card.state !== 'settled') await this.showIfSettled(where, read);
  }

  /** Shows a card if its prompt was settled meanwhile. @throws what `read` throws */
  async showIfSettled(where: Where, read: () => Promise<ChatReply>): Promise<void> {
    const { card } = await read();
    if (card?.state === 'settled') await this.show(where, card);
  }

  /** Replaces the buttons of a message. */
  async replaceButtons({ chat, message }: Where, inline_keyboard: InlineKeyboardButton[][]): Promise<void> {
    const markup = { reply_markup: { inline_keyboard } };
    await this.#try(() => attemptEdit(() => this.#api.editMessageReplyMarkup(chat, message, markup)));
  }

  /** Ends the waiting sign on a pressed button. It may be too late for that, which changes nothing. */
  async notice(id: string, text = '', isImportant = false): Promise<void> {
    const notice = text === '' ? {} : { text: cutText(text, longestNotice), show_alert: isImportant };
    await this.#try(() => attempt(() => this.#api.answerCallbackQuery(id, notice)));
  }

  async #try<Shown>(show: () => Promise<Shown>): Promise<Shown | undefined> {
    try {
      return await show();
    } catch (error) {
      this.#log.warn(error instanceof Error ? error.message : 'Telegram: something could not be shown.');
      return undefined;
    }
  }
}
