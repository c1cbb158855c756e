import type { InteractionRequest } from '@parleyhq/core';
import { announce } from '../browser/announce.ts';
import type { InteractionCard } from '../prompt/interaction-card.ts';
import { headingOf, nameAsked } from '../prompt/words.ts';

/** The open prompts of a session, by who may answer them. */
export interface OpenPrompts {
  readonly own: readonly InteractionRequest[];
  readonly others: readonly InteractionRequest[];
}

/** Tells who does not look of each new question, once, of whom it asks, and of how it ended (WEB5). */
export class PromptNews {
  /** Those that were told and are open. */
  #open: OpenPrompts = { own: [], others: [] };
  /** Those that ended, or whose time is up: the tool may be deciding still what happens next. */
  #ending: readonly InteractionRequest[] = [];
  readonly #findCard: (interactionId: string) => InteractionCard | undefined;

  constructor(findCard: (interactionId: string) => InteractionCard | undefined) {
    this.#findCard = findCard;
  }

  /** `linked` is a prompt that is gone into, and so is read there. */
  tell(open: OpenPrompts, linked: string | undefined): void {
    const { own, others } = this.#open;
    const isNew = (request: InteractionRequest) => request.interactionId !== linked;
    const known = [...own, ...others];
    announceAsked('You are asked', without(open.own, own).filter(isNew)); // also one that only others could answer until now
    announceAsked('Somebody else is asked', without(open.others, known).filter(isNew));
    this.#ending = [...this.#ending, ...without(known, [...open.own, ...open.others])];
    this.#open = open;
    if (this.#ending.length > 0) requestAnimationFrame(() => this.#tellEnds());
  }

  /** Somebody else tells how these end. */
  leaveOut(requests: readonly InteractionRequest[]): void {
    const { own, others } = this.#open;
    this.#open = { own: without(own, requests), others: without(others, requests) };
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

function announceAsked(who: string, requests: readonly InteractionRequest[]): void {
  if (requests.length > 0) announce(`${who}: ${requests.map(nameAsked).join(' · ')}`);
}

function without(
  requests: readonly InteractionRequest[],
  others: readonly InteractionRequest[],
): readonly InteractionRequest[] {
  const ids = new Set(others.map(({ interactionId }) => interactionId));
  return requests.filter(({ interactionId }) => !ids.has(interactionId));
}
