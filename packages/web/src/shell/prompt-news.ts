import type { InteractionRequest } from '@parleyhq/core';
import { announce } from '../page/announce.ts';
import type { InteractionCard } from '../prompt/interaction-card.ts';
import { headingOf, nameAsked } from '../prompt/words.ts';

/** Tells who does not look of each new question that this person may answer, once, and of how it ended (WEB5). */
export class PromptNews {
  /** Those that were told and are open. */
  #open: readonly InteractionRequest[] = [];
  /** Those that ended, or whose time is up: the tool may be deciding still what happens next. */
  #ending: readonly InteractionRequest[] = [];
  readonly #findCard: (interactionId: string) => InteractionCard | undefined;

  constructor(findCard: (interactionId: string) => InteractionCard | undefined) {
    this.#findCard = findCard;
  }

  /** `linked` is a prompt that is gone into, and so is read there. */
  tell(own: readonly InteractionRequest[], linked: string | undefined): void {
    const [known, open] = [this.#open, own].map((list) => new Set(list.map(({ interactionId }) => interactionId)));
    const asked = own.filter(({ interactionId }) => !known?.has(interactionId) && interactionId !== linked);
    if (asked.length > 0) announce(`You are asked: ${asked.map(nameAsked).join(' · ')}`);
    this.#ending = [...this.#ending, ...this.#open.filter(({ interactionId }) => !open?.has(interactionId))];
    this.#open = own;
    if (this.#ending.length > 0) requestAnimationFrame(() => this.#tellEnds());
  }

  /** Somebody else tells how these end. */
  leaveOut(requests: readonly InteractionRequest[]): void {
    this.#open = this.#open.filter((request) => !requests.includes(request));
  }

  #tellEnds(): void {
    this.#ending = this.#ending.filter((request) => !this.#tellEnd(request));
  }

  /** Whoever was in a prompt has the focus on its receipt, which says how it ended, too. @returns whether it is over */
  #tellEnd(request: InteractionRequest): boolean {
    const card = this.#findCard(request.interactionId);
    if (!card) return true; // it was asked again
    const isPending = card.chain.current.pending !== undefined && card.outcome === undefined;
    if (isPending) announce(`Time is up. ${headingOf(request)} can still be answered.`);
    else if (card.outcome && !card.matches(':focus-within')) announce(card.outcome);
    return isPending || card.outcome !== undefined;
  }
}
