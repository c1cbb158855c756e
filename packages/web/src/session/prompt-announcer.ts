import type { InteractionRequest } from '@parleyhq/core';
import { announce } from '../browser/announce.ts';
import type { InteractionCard } from '../prompt/interaction-card.ts';
import { headingOf, nameAsked } from '../prompt/words.ts';

/** The open prompts of a session: those this person may answer, and the others. */
export interface OpenPrompts {
  readonly own: readonly InteractionRequest[];
  readonly others: readonly InteractionRequest[];
}

/** Announces each new question once to screen readers, with whom it asks, and how it ended (WEB5). */
export class PromptAnnouncer {
  /** Prompts that were announced and are open. */
  #open: OpenPrompts = { own: [], others: [] };
  /** Prompts that ended or expired, whose result is not announced yet: their tools may still be deciding. */
  #ending: readonly InteractionRequest[] = [];
  readonly #findCard: (interactionId: string) => InteractionCard | undefined;

  constructor(findCard: (interactionId: string) => InteractionCard | undefined) {
    this.#findCard = findCard;
  }

  /** Announces changes. @param linked - the prompt that a link leads to; screen readers read it there */
  tell(open: OpenPrompts, linked: string | undefined): void {
    const { own, others } = this.#open;
    const isNew = (request: InteractionRequest) => request.interactionId !== linked;
    const known = [...own, ...others];
    announceAsked('You are asked', without(open.own, own).filter(isNew)); // includes prompts that only others could answer before
    announceAsked('Somebody else is asked', without(open.others, known).filter(isNew));
    this.#ending = [...this.#ending, ...without(known, [...open.own, ...open.others])];
    this.#open = open;
    if (this.#ending.length > 0) requestAnimationFrame(() => this.#tellEnds());
  }

  /** Leaves out prompts whose end is reported elsewhere. */
  leaveOut(requests: readonly InteractionRequest[]): void {
    const { own, others } = this.#open;
    this.#open = { own: without(own, requests), others: without(others, requests) };
  }

  #tellEnds(): void {
    this.#ending = this.#ending.filter((request) => !this.#tellEnd(request));
  }

  /**
   * Announces how a prompt ended, unless its card has the focus, because then screen readers read its receipt. @returns whether
   * there is nothing more to announce
   */
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
