import type { Card, ChatReply, PluginLog } from '@parleyhq/core';
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

  say(chat: number, text: string, more: SendOptions = {}): Promise<void> {
    return this.#try(() => attempt(() => this.#api.sendMessage(chat, text, more)));
  }

  /** Shows a card in a message that exists. */
  show({ chat, message }: Where, card: Card): Promise<void> {
    const { text, ...more } = draw(card);
    return this.#try(() => attemptEdit(() => this.#api.editMessageText(chat, message, text, more)));
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
  replaceButtons({ chat, message }: Where, inline_keyboard: InlineKeyboardButton[][]): Promise<void> {
    const markup = { reply_markup: { inline_keyboard } };
    return this.#try(() => attemptEdit(() => this.#api.editMessageReplyMarkup(chat, message, markup)));
  }

  /** Ends the waiting sign on a pressed button. It may be too late for that, which changes nothing. */
  notice(id: string, text = '', isImportant = false): Promise<void> {
    const shown = text.length > longestNotice ? `${text.slice(0, longestNotice - 1)}…` : text;
    const notice = shown === '' ? {} : { text: shown, show_alert: isImportant };
    return this.#try(() => attempt(() => this.#api.answerCallbackQuery(id, notice)));
  }

  async #try(show: () => Promise<unknown>): Promise<void> {
    await show().catch((error: unknown) => {
      this.#log.warn(error instanceof Error ? error.message : 'Telegram: something could not be shown.');
    });
  }
}
