import type { InteractionRequest } from '@parleyhq/core';
import { announce } from '../page/announce.ts';
import type { InteractionCard } from '../prompt/interaction-card.ts';
import { nameAsked } from '../prompt/words.ts';

/** Tells who does not look of each new question that this person may answer, once, and of how it ended (WEB5). */
export class PromptNews {
  /** Those that were told and are open. */
  #open: readonly InteractionRequest[] = [];
  readonly #findCard: (interactionId: string) => InteractionCard | undefined;

  constructor(findCard: (interactionId: string) => InteractionCard | undefined) {
    this.#findCard = findCard;
  }

  /** `linked` is a prompt that is gone into, and so is read there. */
  tell(own: readonly InteractionRequest[], linked: string | undefined): void {
    const [known, open] = [this.#open, own].map((list) => new Set(list.map(({ interactionId }) => interactionId)));
    const asked = own.filter(({ interactionId }) => !known?.has(interactionId) && interactionId !== linked);
    if (asked.length > 0) announce(`You are asked: ${asked.map(nameAsked).join(' · ')}`);
    const ended = this.#open.filter(({ interactionId }) => !open?.has(interactionId));
    this.#open = own;
    if (ended.length > 0) requestAnimationFrame(() => this.#tellEnds(ended));
  }

  /** Somebody else tells how these end. */
  leaveOut(requests: readonly InteractionRequest[]): void {
    this.#open = this.#open.filter((request) => !requests.includes(request));
  }

  /** Whoever was in a prompt has the focus on its receipt, which says how it ended, too. */
  #tellEnds(ended: readonly InteractionRequest[]): void {
    for (const { interactionId } of ended) {
      const card = this.#findCard(interactionId);
      if (card?.outcome && !card.matches(':focus-within')) announce(card.outcome);
    }
  }
}
