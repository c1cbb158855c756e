import type { InboxEntry, InteractionRequest } from '@parleyhq/core';
import { keyOf } from './snooze.ts';

/** Filter of a list of prompts; an empty member allows everything. */
export interface InboxFilter {
  readonly sessionId: string;
  readonly risk: string;
}

export const noFilter: InboxFilter = { sessionId: '', risk: '' };

export function fits({ sessionId, interaction }: InboxEntry, filter: InboxFilter): boolean {
  return (
    (filter.sessionId === '' || filter.sessionId === sessionId) &&
    (filter.risk === '' || filter.risk === (interaction.risk ?? ''))
  );
}

/**
 * Returns the keys of prompts in an order that stays stable while somebody works through them: known keys keep their positions,
 * even after they were settled, a reprompt follows the prompt it replaces, and new ones come last.
 */
export function keepOrder(known: readonly string[], entries: readonly InboxEntry[]): readonly string[] {
  const order = [...known];
  for (const entry of entries) {
    const key = keyOf(entry);
    if (order.includes(key)) continue;
    const { replaces } = entry.interaction;
    const at = replaces === undefined ? -1 : order.indexOf(`${entry.sessionId} ${replaces}`);
    order.splice(at < 0 ? order.length : at + 1, 0, key);
  }
  return order;
}

/**
 * Returns the approvals that can be answered together: open, complete, with a unique id, and without a required reason (TEAM5).
 */
export function findApprovals(entries: readonly InboxEntry[]): ReadonlyMap<InteractionRequest, string> {
  const names = new Set<string>();
  const found = new Map<InteractionRequest, string>();
  for (const { sessionId, interaction, pending, isCut } of entries) {
    if (
      interaction.interactionType !== 'approval' ||
      interaction.reasonRequired ||
      pending ||
      isCut ||
      names.has(interaction.interactionId)
    )
      continue;
    names.add(interaction.interactionId);
    found.set(interaction, sessionId);
  }
  return found;
}
