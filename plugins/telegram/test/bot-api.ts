import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InlineKeyboardButton, MessageEntity, Update } from 'grammy/types';
import { vi } from 'vitest';

export const botToken = '4815162342:AAtest-token-of-the-bot';

/** How many updates one poll gets at most. */
const mostUpdates = 100;

/** A message of the bot, as it looks now. */
export interface BotMessage {
  readonly chat: number;
  readonly id: number;
  text: string;
  entities: readonly MessageEntity[];
  buttons: readonly InlineKeyboardButton[];
  edits: number;
}

export interface Called {
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: the parameters differ by method
  readonly params: Readonly<Record<string, any>>;
}

/** How the next call of a method is refused. */
interface Refusal {
  readonly method: string;
  readonly status: number;
  readonly description: string;
  readonly retryAfter?: number;
}

type Poll = { readonly offset: number; readonly response: ServerResponse };

/**
 * A server that speaks the Bot API: long polling with offsets, messages that can be edited, and its errors. Updates stay until an
 * offset confirms them, so that a restarted bot gets them again.
 */
export class BotApi {
  readonly calls: Called[] = [];
  readonly messages: BotMessage[] = [];
  /** Methods that fail for now. */
  readonly failing = new Set<string>();
  /** Returns the seconds that a call has to wait, if it is refused for its rate. */
  limit: ((call: Called) => number | undefined) | undefined;
  /** Runs after a call did its work or was refused, before its reply; for `getUpdates` after it confirmed what it confirms. */
  onCall: ((call: Called) => void) | undefined;
  readonly #server: Server;
  readonly #refusals: Refusal[] = [];
  /** Why a user's chat takes no messages, by user. */
  readonly #gone = new Map<number, string>();
  #updates: Update[] = [];
  #poll: Poll | undefined;
  #hasWebhook = true;
  #nextUpdate = 7001;
  #nextMessage = 501;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async remove(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Refuses the next call of a method. */
  refuse(method: string, status: number, description: string, retryAfter?: number): void {
    this.#refusals.push({ method, status, description, ...(retryAfter !== undefined && { retryAfter }) });
  }

  /** Refuses messages to a user who blocked the bot, or for another reason. */
  block(user: number, why = 'bot was blocked by the user'): void {
    this.#gone.set(user, why);
  }

  /** Forgets a message, as if its chat had deleted it. */
  forget(message: BotMessage): void {
    this.messages.splice(this.messages.indexOf(message), 1);
  }

  /** Somebody writes to the bot. @returns the update, to deliver it again */
  write(
    user: { id: number; name?: string },
    text: string,
    chat: { id: number; type: 'private' | 'group' } = { id: user.id, type: 'private' },
  ): Update {
    const from = { id: user.id, is_bot: false, first_name: user.name ?? 'Somebody' };
    const message = {
      message_id: this.#nextMessage++,
      date: 0,
      chat: { ...chat, first_name: from.first_name },
      from,
      text,
    };
    return this.deliver({ message } as unknown as Omit<Update, 'update_id'>);
  }

  /** Somebody presses a button of a message. */
  press(user: { id: number; name?: string }, message: BotMessage, label: string): Update {
    const button = message.buttons.find(({ text }) => text === label) as { callback_data?: string } | undefined;
    if (button?.callback_data === undefined)
      throw new Error(`no button "${label}" among ${JSON.stringify(message.buttons)}`);
    return this.pressData(user, message, button.callback_data);
  }

  pressData(user: { id: number; name?: string }, { chat, id }: BotMessage, data: string): Update {
    const from = { id: user.id, is_bot: false, first_name: user.name ?? 'Somebody' };
    const message = { message_id: id, date: 1, chat: { id: chat, type: chat > 0 ? 'private' : 'group' } };
    const press = { id: `cb-${this.#nextUpdate}`, from, message, chat_instance: '1', data };
    return this.deliver({ callback_query: press } as unknown as Omit<Update, 'update_id'>);
  }

  /** Delivers an update: a new one, or one that was delivered before. */
  deliver(update: Omit<Update, 'update_id'> & { update_id?: number }): Update {
    const numbered = { update_id: this.#nextUpdate++, ...update } as Update;
    this.#updates.push(numbered);
    this.#answerPoll();
    return numbered;
  }

  /** Waits for a call. */
  call(accepts: (call: Called) => boolean): Promise<Called> {
    return vi.waitFor(
      () => this.calls.find(accepts) ?? Promise.reject(new Error(JSON.stringify(this.calls.slice(-20), null, 1))),
      {
        timeout: 30_000,
      },
    );
  }

  /** Waits for a message as it should look. */
  message(accepts: (message: BotMessage) => boolean): Promise<BotMessage> {
    return vi.waitFor(
      () => this.messages.find(accepts) ?? Promise.reject(new Error(JSON.stringify(this.messages, null, 1))),
      { timeout: 30_000 },
    );
  }

  /** Waits until the bot has confirmed an update, and so everything before it. */
  confirmed({ update_id: id }: Update): Promise<void> {
    return vi.waitFor(
      () => {
        if (this.#updates.some((update) => update.update_id <= id)) throw new Error('not confirmed');
      },
      { timeout: 30_000 },
    );
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? '') ?? [];
    const params = body === '' ? {} : JSON.parse(body);
    this.calls.push({ method, params });
    if (token !== botToken) {
      this.#fail(response, { status: 401, description: 'Unauthorized' });
      return;
    }
    const at = this.#refusals.findIndex((refusal) => refusal.method === method);
    const [once] = at < 0 ? [] : this.#refusals.splice(at, 1);
    const wait = this.limit?.({ method, params });
    const busy = wait !== undefined && {
      status: 429,
      description: `Too Many Requests: retry after ${wait}`,
      retryAfter: wait,
    };
    const refusal = this.failing.has(method) ? { status: 502, description: 'Bad Gateway' } : busy || once;
    if (!refusal) this.#answer(method, params, response);
    else {
      this.onCall?.({ method, params });
      this.#fail(response, refusal);
    }
  }

  #answer(method: string, params: Called['params'], response: ServerResponse): unknown {
    const ok = (result: unknown) => {
      this.onCall?.({ method, params });
      return this.#send(response, 200, { ok: true, result });
    };
    const bad = (description: string) =>
      this.#fail(response, { status: 400, description: `Bad Request: ${description}` });
    switch (method) {
      case 'getMe':
        return ok({ id: 4815162342, is_bot: true, first_name: 'Parley', username: 'parley_bot' });
      case 'deleteWebhook':
        this.#hasWebhook = false;
        return ok(true);
      case 'getUpdates':
        return this.#take(params, response);
      case 'answerCallbackQuery':
        return ok(true);
      case 'sendMessage': {
        if (this.#gone.has(params.chat_id))
          return this.#fail(response, { status: 403, description: `Forbidden: ${this.#gone.get(params.chat_id)}` });
        if (params.text === '' || params.text.length > 4096) return bad('message is too long');
        const message = { chat: params.chat_id, id: this.#nextMessage++, edits: 0, ...contentOf(params) };
        const tooLong = message.buttons.some(
          (button) => Buffer.byteLength((button as { callback_data?: string }).callback_data ?? '') > 64,
        );
        if (tooLong) return bad('BUTTON_DATA_INVALID');
        this.messages.push(message);
        return ok({ message_id: message.id, date: 0, chat: { id: message.chat, type: 'private' }, text: message.text });
      }
      case 'editMessageText':
      case 'editMessageReplyMarkup': {
        const message = this.messages.find(({ chat, id }) => chat === params.chat_id && id === params.message_id);
        if (!message) return bad('message to edit not found');
        const next = {
          ...message,
          ...(method === 'editMessageText' ? contentOf(params) : { buttons: buttonsOf(params) }),
        };
        if (JSON.stringify(next) === JSON.stringify(message))
          return bad('message is not modified: specified new message content and reply markup are exactly the same');
        Object.assign(message, next, { edits: message.edits + 1 });
        return ok({ message_id: message.id, date: 0, chat: { id: message.chat, type: 'private' }, text: message.text });
      }
      default:
        return this.#fail(response, { status: 404, description: 'Not Found' });
    }
  }

  /** A new poll ends the one before, as for two bots with one token. */
  #take({ offset = 0 }: Called['params'], response: ServerResponse): unknown {
    if (this.#hasWebhook)
      return this.#fail(response, {
        status: 409,
        description: "Conflict: can't use getUpdates method while webhook is active",
      });
    if (this.#poll)
      this.#fail(this.#poll.response, { status: 409, description: 'Conflict: terminated by other getUpdates request' });
    const poll = { offset, response };
    this.#poll = poll;
    response.on('close', () => {
      if (this.#poll === poll) this.#poll = undefined;
    });
    this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset);
    this.onCall?.({ method: 'getUpdates', params: { offset } });
    return this.#answerPoll();
  }

  #answerPoll(): void {
    if (!this.#poll || this.#updates.length === 0) return;
    const { response } = this.#poll;
    this.#poll = undefined;
    this.#send(response, 200, { ok: true, result: this.#updates.slice(0, mostUpdates) });
  }

  #fail(response: ServerResponse, { status, description, retryAfter }: Omit<Refusal, 'method'>): void {
    const parameters = retryAfter !== undefined && { parameters: { retry_after: retryAfter } };
    this.#send(response, status, { ok: false, error_code: status, description, ...parameters });
  }

  #send(response: ServerResponse, status: number, body: object): void {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

function contentOf(params: Called['params']): Pick<BotMessage, 'text' | 'entities' | 'buttons'> {
  return { text: params.text, entities: params.entities ?? [], buttons: buttonsOf(params) };
}

function buttonsOf({ reply_markup: markup }: Called['params']): InlineKeyboardButton[] {
  return (markup?.inline_keyboard ?? []).flat();
}
