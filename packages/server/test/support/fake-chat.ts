import {
  type Card,
  type CardAction,
  type ChatAccount,
  type ChatReply,
  definePlugin,
  type ListenHost,
  type Notification,
  type Plugin,
} from '@parleyhq/core';
import { vi } from 'vitest';

/** A message in the fake chat, as it looks now. */
export interface ChatMessage {
  readonly id: number;
  readonly account: string;
  readonly news: Notification;
  card: Card | undefined;
  /** How often it was changed. */
  edits: number;
}

/** A chat in the test's memory, with a notifier that takes answers from it. It survives restarts of the server. */
export class FakeChat {
  readonly messages: ChatMessage[] = [];
  /** Errors to throw at the next calls of `notify` and `update`; undefined lets a call through. */
  readonly faults: (Error | undefined)[] = [];
  /** Errors to throw after the next messages were sent, as if their receipts were lost. */
  readonly losses: (Error | undefined)[] = [];
  /** Messages whose changes do not end; the account's others do. */
  readonly stuck = new Set<number>();
  #host: ListenHost | undefined;

  readonly plugin: Plugin = definePlugin({
    name: 'fake',
    tools: [],
    notifiers: [
      {
        name: 'fakechat',
        howToLink: 'Send {code}.',
        notify: (news, { account, card }) => {
          this.#fail();
          this.messages.push({ id: this.messages.length, account: account?.id ?? '', news, card, edits: 0 });
          const loss = this.losses.shift();
          if (loss) throw loss;
          return { id: this.messages.length - 1 };
        },
        update: (_, { message, card, signal }) => {
          this.#fail();
          const found = this.messages[Number((message as { id: number }).id)];
          if (!found) throw new Error('there is no such message');
          if (this.stuck.has(found.id)) return new Promise((resolve) => signal.addEventListener('abort', resolve));
          found.card = card;
          found.edits += 1;
        },
        listen: (host, signal) => {
          this.#host = host;
          return new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        },
      },
    ],
  });

  #fail(): void {
    const fault = this.faults.shift();
    if (fault) throw fault;
  }

  /** What the listener of the current server may use. */
  get host(): ListenHost {
    if (!this.#host) throw new Error('nobody listens');
    return this.#host;
  }

  link(code: string, account: ChatAccount): Promise<ChatReply> {
    return this.host.link(code, account);
  }

  /** Waits for a message that shows this prompt. */
  card(interactionId: string, accepts: (message: ChatMessage) => boolean = () => true): Promise<ChatMessage> {
    return this.message(({ news, ...rest }) => news.interactionId === interactionId && accepts({ news, ...rest }));
  }

  message(accepts: (message: ChatMessage) => boolean): Promise<ChatMessage> {
    return vi.waitFor(
      () => this.messages.find(accepts) ?? Promise.reject(new Error(JSON.stringify(this.messages, null, 1))),
      { timeout: 30_000 },
    );
  }

  /** Presses a button of a message. */
  press(message: ChatMessage, label: string, account: ChatAccount, more: object = {}): Promise<ChatReply> {
    const { action, ticket } = buttonOf(message, label);
    return this.host.answer({ action, ticket, ...more }, account);
  }
}

export function buttonOf({ card }: Pick<ChatMessage, 'card'>, label: string): CardAction {
  const found = card?.actions.find((each) => each.label === label);
  if (!found) throw new Error(`There is no "${label}" among ${JSON.stringify(card?.actions)}`);
  return found;
}
