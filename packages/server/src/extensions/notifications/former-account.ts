import type { InteractionRequest, Notification, NotificationDetail, Principal } from '@parleyhq/core';
import { type ChatCallee, callChat } from './call-chat.ts';
import type { ChatTargetParts } from './chat-target.ts';
import { makeLostCard } from './make-card.ts';
import type { CardContext, SentMessage, Target } from './target.ts';

/** May see and answer nothing. */
const nobody: Principal = { id: '', role: 'viewer', sessions: [] };

/**
 * An account whose link has ended. It is sent nothing, but its messages are closed, whatever became of their prompts: their buttons
 * answer nothing any more (CHAT2).
 */
export class FormerAccount implements Target {
  readonly id: string;
  readonly way: string;
  readonly principal = nobody;
  readonly hasCards = true;
  readonly detail: NotificationDetail = 'none';
  readonly #chat: ChatCallee;
  readonly #parts: ChatTargetParts;

  constructor(id: string, chat: ChatCallee, parts: ChatTargetParts) {
    this.id = id;
    this.way = chat.way;
    this.#chat = chat;
    this.#parts = parts;
  }

  freeAt(now: number): number {
    return now;
  }

  async notify(
    news: Notification,
    _prompt: InteractionRequest | undefined,
    { delivery }: CardContext = {},
  ): Promise<SentMessage | undefined> {
    const { message } = delivery ?? {};
    if (message === undefined || !this.#chat.notifier.update) return undefined;
    const card = makeLostCard(news, 'You are not asked here any more');
    await callChat(this.#parts, this.#chat, { news, card, message });
    return { message };
  }
}
