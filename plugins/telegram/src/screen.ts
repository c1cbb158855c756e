import { type Card, cutText, type ListenHost } from '@parleyhq/core';
import type { Api } from 'grammy';
import type { InlineKeyboardButton } from 'grammy/types';
import { draw } from './draw.ts';
import { attempt, attemptEdit } from './failure.ts';
import { drawDelays } from './keyboard.ts';

/** A message in a chat. */
export type Where = {
  readonly chat: number;
  readonly message: number;
};

type SendOptions = NonNullable<Parameters<Api['sendMessage']>[2]>;

/** In characters: the longest text of a notice above the chat. */
const longestNotice = 200;

/**
 * Shows what was decided. That is stored already, so whatever cannot be shown is only reported: the person sees it in Parley, and
 * the server changes the card until it shows what became of its prompt.
 */
export class Screen {
  readonly #api: Api;
  readonly #host: Pick<ListenHost, 'log' | 'redraw'>;

  constructor(api: Api, host: Pick<ListenHost, 'log' | 'redraw'>) {
    this.#api = api;
    this.#host = host;
  }

  /** Sends a message. @returns its id; undefined if it could not be sent */
  async say(chat: number, text: string, more: SendOptions = {}): Promise<number | undefined> {
    const sent = await this.#try(() => attempt(() => this.#api.sendMessage(chat, text, more)));
    return sent?.message_id;
  }

  /** Sends a message that is not worth a wait. */
  async mention(chat: number, text: string): Promise<void> {
    await this.#try(() => attempt(() => this.#api.sendMessage(chat, text), undefined, 0));
  }

  /** Replaces a message with a text without buttons. */
  async replace({ chat, message }: Where, text: string): Promise<void> {
    await this.#try(() => attemptEdit(() => this.#api.editMessageText(chat, message, text)));
  }

  /** Shows a card in a message that exists. */
  async show(where: Where, card: Card): Promise<void> {
    const { chat, message } = where;
    const { text, ...more } = draw(card);
    const edit = () => this.#api.editMessageText(chat, message, text, more);
    await this.#try(() => this.#host.redraw(where, card, (signal) => attemptEdit(edit, signal)));
  }

  /** Replaces the buttons of a card by those with which it is postponed. */
  async showDelays(where: Where, card: Card): Promise<void> {
    const { chat, message } = where;
    const markup = { reply_markup: { inline_keyboard: drawDelays(card) } };
    const edit = () => this.#api.editMessageReplyMarkup(chat, message, markup);
    await this.#try(() => this.#host.redraw(where, card, (signal) => attemptEdit(edit, signal)));
  }

  /** Replaces the buttons of a question. */
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
      this.#host.log.warn(error instanceof Error ? error.message : 'Telegram: something could not be shown.');
      return undefined;
    }
  }
}
