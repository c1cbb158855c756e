import type { InboxEntry, InteractionRequest } from '@parleyhq/core';

/** What a list of prompts is narrowed to; an empty member narrows nothing. */
export interface InboxFilter {
  readonly sessionId: string;
  readonly toolName: string;
  readonly risk: string;
}

export const noFilter: InboxFilter = { sessionId: '', toolName: '', risk: '' };

/** Names a prompt among those of all sessions. */
export function keyOf({ sessionId, interaction }: Pick<InboxEntry, 'sessionId' | 'interaction'>): string {
  return `${sessionId} ${interaction.interactionId}`;
}

export function fits({ sessionId, interaction }: InboxEntry, filter: InboxFilter): boolean {
  return (
    (filter.sessionId === '' || filter.sessionId === sessionId) &&
    (filter.toolName === '' || filter.toolName === interaction.toolName) &&
    (filter.risk === '' || filter.risk === (interaction.risk ?? ''))
  );
}

/**
 * The keys in the order in which prompts stay while somebody works through them: those known keep their places, also those
 * that are gone, a reprompt stands where the prompt stood that it replaces, and the others follow.
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

/** The approvals among them that can be answered together: whole, open, and each name once; none that wants a reason of its own (TEAM5). */
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
