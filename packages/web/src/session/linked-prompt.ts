import type { SessionClient } from '@parleyhq/client';
import type { InteractionItem } from '@parleyhq/core';
import { findRoot } from '../prompt/chain.ts';
import type { InteractionCard } from '../prompt/interaction-card.ts';
import type { Transcript } from '../transcript/transcript.ts';

/** The session's part of the page. */
interface Place {
  readonly transcript: Transcript | null;
  listCards(): readonly InteractionCard[];
}

/** Goes to a prompt, or to the one that replaced it, and loads the log as far back as it takes. */
export async function goToPrompt(session: SessionClient, interactionId: string, place: Place): Promise<void> {
  const find = () => session.state.items.get(`interaction:${interactionId}`) as InteractionItem | undefined;
  while (!find()?.request && session.state.firstSeq > 1) await session.loadEarlier(1000);
  await customElements.whenDefined('parley-card'); // cards are loaded after the page
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const root = findRoot(session.state.items, interactionId);
  await place.transcript?.revealPrompt(root);
  const card = place.listCards().find((candidate) => candidate.chain.root === root);
  if (card?.matches(':focus-within')) return; // somebody is already typing there
  card?.scrollIntoView({ block: 'center' });
  card?.focus();
}
