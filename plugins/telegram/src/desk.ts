import type { Card, ChatAccount, ChatReply, ListenHost } from '@parleyhq/core';
import type { CallbackQuery, Message, Update, User } from 'grammy/types';
import { Dialogs } from './dialogs.ts';
import { readPressed } from './keyboard.ts';
import type { Screen, Where } from './screen.ts';

export interface DeskParts {
  readonly host: ListenHost;
  readonly screen: Screen;
  readonly botName: string;
}

const help =
  'I ask you what waits for you in Parley. Answer with the buttons of a message. To link this account, make a code in Parley and send it here: /start CODE. To end the link, send /unlink.';
const privateOnly = 'I answer in private chats only. A code that was sent here is void: make another one.';

/** In ms. */
const helpMs = 60_000;

const notStored = 'This could not be stored. Please try again in a moment.';
const notNow = 'This cannot be decided at the moment. Please try again, or open it.';

/** Handles what people press and write (CHAT4). */
export class Desk {
  readonly #parts: DeskParts;
  readonly #dialogs: Dialogs;
  /** When accounts were sent the help, in the last minute, the earliest first. */
  readonly #helped = new Map<number, number>();

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#dialogs = new Dialogs(parts.host, parts.screen);
  }

  /** @throws Error if the update must be delivered again: the server could not store or decide something now */
  async handle({ update_id: id, message, callback_query: press, my_chat_member: member }: Update): Promise<void> {
    const { host } = this.#parts;
    if (press) await this.#press(press, id);
    else if (message) await this.#read(message, id);
    else if (member?.chat.type === 'private' && member.new_chat_member.status === 'kicked')
      await host.unlink(accountOf(member.from)); // the person blocked the bot, and can link it again
  }

  /** Says to whoever sent an update that nothing came of it. @param code - why it could not be handled */
  async excuse({ message, callback_query: press }: Update, code: unknown): Promise<void> {
    const from = press?.from ?? message?.from;
    if (from && !from.is_bot) await this.#parts.screen.mention(from.id, code === 'retry_later' ? notNow : notStored);
  }

  async #press({ id, from, data = '', message }: CallbackQuery, updateId: number): Promise<void> {
    const { host, screen } = this.#parts;
    const account = accountOf(from);
    const isOfDialog = await this.#dialogs.press(data, {
      ...{ account, updateId },
      where: message && { chat: message.chat.id, message: message.message_id },
    });
    if (isOfDialog) {
      await screen.notice(id);
      return;
    }
    const pressed = readPressed(data);
    if (!pressed || message?.chat.type !== 'private') {
      await screen.notice(id, 'This button is not for you.', true);
      return;
    }
    const { verb, action, ticket } = pressed;
    const where = { chat: message.chat.id, message: message.message_id };
    switch (verb) {
      case 'answer':
        await this.#finish(id, await host.answer({ ticket, action }, account), where);
        return;
      case 'reason':
      case 'form':
      case 'comment': {
        const reply = await host.card(ticket, account);
        const isOpen = reply.card?.state === 'open';
        if (isOpen)
          await this.#dialogs.begin(verb, { ticket, action, card: reply.card as Card }, { account, updateId, where });
        await this.#finish(id, reply, isOpen ? undefined : where);
        return;
      }
      case 'later': {
        const reply = await host.card(ticket, account);
        if (reply.card?.state !== 'open') await this.#finish(id, reply, where);
        else {
          await screen.showDelays(where, reply.card);
          await screen.notice(id);
        }
        return;
      }
      case 'back':
        await this.#finish(id, await host.card(ticket, account), where);
        return;
      default: {
        const minutes = Number(verb.slice('snooze'.length));
        await this.#finish(id, await host.snooze({ ticket, minutes }, account), where);
      }
    }
  }

  async #read(message: Message, updateId: number): Promise<void> {
    const { chat, from, text, message_id: messageId, reply_to_message: replied } = message;
    if (text === undefined) return; // a picture, or a note of Telegram such as that a message was pinned
    const { host, botName, screen } = this.#parts;
    const { command, addressee, rest } = readCommand(text);
    if (addressee !== undefined && addressee.toLowerCase() !== botName.toLowerCase()) return;
    if (chat.type !== 'private') {
      if (command !== 'start' || rest === '') return;
      await host.burn(rest); // others may have read it
      await screen.mention(chat.id, privateOnly);
      return;
    }
    if (!from || from.is_bot) return;
    const account = accountOf(from);
    const replyTo = replied?.message_id;
    if (command === 'start' && rest !== '') await this.#reply(chat.id, await host.link(rest, account));
    else if (command === 'unlink' || command === 'stop') await this.#reply(chat.id, await host.unlink(account));
    else if (command === 'cancel') await this.#reply(chat.id, await this.#dialogs.cancel(account));
    else if (command !== undefined || !(await this.#dialogs.read(text, { account, updateId, messageId, replyTo })))
      await this.#help(chat.id);
  }

  /** Replies to a command. A refusal is not worth a wait: strangers get nothing else, and would hold up the updates of everybody. */
  async #reply(chat: number, { isDone, text }: ChatReply): Promise<void> {
    const { screen } = this.#parts;
    await (isDone ? screen.say(chat, text) : screen.mention(chat, text));
  }

  /** Explains the bot, to one account once a minute at most: whoever writes much makes it send little. */
  async #help(chat: number): Promise<void> {
    const now = Date.now();
    for (const [other, at] of this.#helped) if (now - at >= helpMs) this.#helped.delete(other);
    if (this.#helped.has(chat)) return;
    this.#helped.set(chat, now);
    await this.#parts.screen.mention(chat, help);
  }

  /** Confirms a press and shows what became of the card, also on a message that the server does not know of. */
  async #finish(id: string, { text, isDone, card }: ChatReply, where: Where | undefined): Promise<void> {
    const { screen } = this.#parts;
    await screen.notice(id, text, !isDone);
    if (card && where) await screen.show(where, card);
  }
}

const commands = ['start', 'unlink', 'stop', 'cancel', 'help'];

/** Reads a command of the bot, and the word after it. A path begins with a slash, too, and is not a command. */
function readCommand(text: string): { command?: string; addressee?: string | undefined; rest: string } {
  const [, name = '', addressee, rest = ''] = /^\/([a-z]+)(?:@(\w+))?(?:\s+(\S+)|\s*$)/i.exec(text) ?? [];
  const command = commands.find((each) => each === name.toLowerCase());
  return command === undefined ? { rest: '' } : { command, addressee, rest };
}

/** Returns the account of a user, by the number that never changes. */
function accountOf({ id, username, first_name: first, last_name: last }: User): ChatAccount {
  return { id: String(id), name: username === undefined ? [first, last].filter(Boolean).join(' ') : `@${username}` };
}
