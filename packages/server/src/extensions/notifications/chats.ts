import type { Card, ChatLink, Json, LinkStore, Notifier, PluginLog, QuietHours } from '@parleyhq/core';
import { OneByOne } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import { keyOfMessage } from './call-chat.ts';
import { CardTurns } from './card-turns.ts';
import { ChatTarget, type ChatTargetParts } from './chat-target.ts';
import { FormerAccount } from './former-account.ts';
import { callNotifier } from './notifier-target.ts';

/** A configured notifier that takes answers (CHAT1). */
export interface Chat {
  /** Name under which it is configured. */
  readonly way: string;
  readonly notifier: Notifier;
  readonly plugin: string;
  readonly config: unknown;
  /** The people to notify, by id or name; everybody who linked an account if undefined. */
  readonly people: ReadonlySet<string> | undefined;
  readonly quiet: QuietHours | undefined;
  readonly log: PluginLog;
}

export interface ChatsOptions extends Omit<ChatTargetParts, 'turns' | 'endLink'> {
  readonly store: LinkStore;
  /** Called when an account was linked, or its link has ended. */
  readonly onChanged: () => void;
  readonly log: Logger;
}

/** In ms: interval at which links are read, because other processes create and end them without notice (SEC9). */
const lookMs = 1000;

/** The accounts that people linked in the configured chats (CHAT2). */
export class Chats {
  readonly #options: ChatsOptions & ChatTargetParts;
  readonly #chats = new Map<string, Chat>();
  readonly #targets = new Map<string, ChatTarget>();
  readonly #oneByOne = new OneByOne();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ChatsOptions) {
    const endLink = async ({ id }: ChatLink) => {
      await options.store.remove(id);
      await this.look();
    };
    this.#options = { ...options, turns: new CardTurns(), endLink };
  }

  /** Names of the configured chats. */
  get names(): readonly string[] {
    return [...this.#chats.keys()];
  }

  get all(): readonly Chat[] {
    return [...this.#chats.values()];
  }

  /** Accounts that can be notified now. */
  get targets(): Iterable<ChatTarget> {
    return this.#targets.values();
  }

  /** Returns what closes the messages of an account whose link has ended; undefined if its chat is not configured. */
  findFormer(target: string): FormerAccount | undefined {
    const chat = this.#chats.get(target.slice(0, target.lastIndexOf(':')));
    return chat && new FormerAccount(target, chat, this.#options);
  }

  /** Has a chat draw a card in one of its messages, in turn with the changes that the server asks for (CHAT1). @throws NotificationError */
  async redraw(
    way: string,
    { message, card: { state } }: { readonly message: Json; readonly card: Pick<Card, 'state'> },
    draw: (signal?: AbortSignal) => unknown,
  ): Promise<void> {
    const { turns } = this.#options;
    const call = (signal?: AbortSignal) => callNotifier(this.#options, () => draw(signal));
    await turns.run(keyOfMessage(way, message), state === 'settled', call);
  }

  add(chat: Chat): void {
    this.#chats.set(chat.way, chat);
  }

  /** Starts to follow the links; does nothing if no chat is configured. */
  async open(): Promise<void> {
    if (this.#chats.size === 0) return;
    await this.look();
    this.#watch();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#chats.clear();
  }

  /**
   * Updates which accounts can be notified. Links whose token or login has ended are deleted. Calls do not overlap: one that began
   * earlier would bring back an account whose link has ended since.
   */
  look(): Promise<void> {
    return this.#oneByOne.run('links', () => this.#look());
  }

  async #look(): Promise<void> {
    const { store, findHolder, onChanged } = this.#options;
    const gone = new Set(this.#targets.keys());
    let isMore = false;
    for (const link of await store.list()) {
      const chat = this.#chats.get(link.notifier);
      if (!chat) continue;
      const admission = await findHolder(link);
      if (!admission) {
        await store.remove(link.id);
        continue;
      }
      const { principal } = admission;
      const isMeant = [principal.id, principal.name].some((each) => each !== undefined && chat.people?.has(each));
      if (chat.people && !isMeant) continue;
      gone.delete(link.id);
      const known = this.#targets.get(link.id);
      if (known && JSON.stringify(known.principal) === JSON.stringify(principal)) continue;
      const target = new ChatTarget({ ...chat, ...admission, link }, this.#options);
      this.#targets.set(link.id, target);
      isMore = true;
    }
    for (const id of gone) this.#targets.delete(id);
    if (isMore || gone.size > 0) onChanged();
  }

  #watch(): void {
    this.#timer = setTimeout(() => {
      this.look()
        .catch((error: unknown) => this.#options.log.error({ error }, 'the links could not be read: trying again'))
        .finally(() => {
          if (this.#timer !== undefined) this.#watch();
        });
    }, lookMs).unref();
  }
}
