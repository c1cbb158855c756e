import type { SessionState } from '@parleyhq/client';
import { type InteractionRequest, mayAnswer, type Principal } from '@parleyhq/core';
import type { Chain } from '../prompt/chain.ts';
import type { Found } from './rows.ts';

/**
 * Returns the open approvals that may be answered together once the session is live (APR5): those whose cards are on the page
 * with everything they ask, except those that need a reason of their own (TEAM5). The snapshot also lists prompts whose text is
 * not loaded yet. The requests returned are those of the cards.
 */
export function findShownApprovals(
  { phase, head }: SessionState,
  { rows, docked }: Found,
  principal: Principal,
): readonly InteractionRequest[] {
  if (phase !== 'live' || head.prompts.length === 0) return [];
  const inRows = rows.flatMap((row): readonly Chain[] => {
    if (row.kind === 'prompt') return [row.chain];
    return row.kind === 'tool' && !row.item.isHidden ? row.chains : [];
  });
  const shown = new Map([...inRows, ...docked].map(({ current }) => [current.interactionId, current.request.payload]));
  return head.prompts.flatMap(({ state, request, isCut }) => {
    const card = shown.get(request.interactionId);
    const isAsked = state === 'open' && request.interactionType === 'approval' && mayAnswer(principal, request);
    return isAsked && !isCut && !request.reasonRequired && card?.digest === request.digest ? [card] : [];
  });
}
