import type { ChatLink, DeliveryStore, Epoch, Principal, PromptRef } from '@parleyhq/core';
import type { Inbox } from '../inbox/inbox.ts';
import { cardKeyOf } from './card-ticket.ts';
import { targetOf } from './chat-target.ts';

/** How many past notifications of a person are searched for a card. */
const mostPast = 1000;

/** Where cards are searched. */
export interface CardSources {
  readonly inbox: Pick<Inbox, 'waitingFor'>;
  readonly deliveries: Pick<DeliveryStore, 'list'>;
  readonly epoch: Epoch;
}

/**
 * Finds the prompt of a card by its name in a ticket: among those that wait for the account's person, also if the message was only
 * just sent, and among those of which the account was notified. Undefined if the card is another account's, or too old.
 */
export async function findCard(
  { inbox, deliveries, epoch }: CardSources,
  cardKey: string,
  account: { readonly link: ChatLink; readonly principal: Principal },
): Promise<PromptRef | undefined> {
  const target = targetOf(account.link);
  const isMeant = (place: PromptRef) => cardKeyOf(place, target) === cardKey;
  const waiting = inbox.waitingFor(account.principal).find(isMeant);
  if (waiting) return waiting;
  const past = await deliveries.list({ principal: account.principal.id, limit: mostPast });
  return past.find((delivery) => delivery.epoch === epoch && delivery.target === target && isMeant(delivery));
}
