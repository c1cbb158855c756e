import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';

interface Message {
  readonly id: number;
  readonly to: string;
  text: string;
  buttons: readonly { readonly label: string; readonly data: string }[];
}

type Event = { readonly id: number } & Readonly<Record<string, unknown>>;

/** The server of a chat with a small API: `/send`, `/edit`, and `/events` with long polling. */
export class Room {
  readonly messages: Message[] = [];
  readonly #server: Server;
  readonly #events: Event[] = [];
  #waiting: { readonly after: number; readonly response: ServerResponse }[] = [];

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

  /** Somebody writes, in a private room unless the event says otherwise. */
  write(from: { id: string; name: string }, text: string, isPrivate = true): void {
    this.#deliver({ type: 'text', from, text, isPrivate, room: from.id });
  }

  press(from: { id: string; name: string }, { id: message, buttons }: Message, label: string): void {
    const data = buttons.find((button) => button.label === label)?.data;
    this.#deliver({ type: 'press', from, data, message, room: from.id });
  }

  message(accepts: (message: Message) => boolean): Promise<Message> {
    const find = () => this.messages.find(accepts) ?? Promise.reject(new Error(JSON.stringify(this.messages)));
    return vi.waitFor(find, { timeout: 30_000 });
  }

  #deliver(event: Readonly<Record<string, unknown>>): void {
    this.#events.push({ id: this.#events.length + 1, ...event });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { after, response } of waiting) this.#answer(response, after);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { to, room = to, text, buttons, message, after } = JSON.parse(body);
    if (request.url === '/events') this.#answer(response, after);
    else if (request.url === '/send') {
      this.messages.push({ id: this.messages.length, to: room, text, buttons });
      response.end(JSON.stringify({ message: this.messages.length - 1 }));
    } else {
      Object.assign(this.messages[message] ?? {}, { text, buttons });
      response.end('{}');
    }
  }

  #answer(response: ServerResponse, after: number): void {
    const events = this.#events.filter(({ id }) => id > after);
    if (events.length > 0) response.end(JSON.stringify({ events }));
    else this.#waiting.push({ after, response });
  }
}
