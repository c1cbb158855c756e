import type { SessionState } from '@parleyhq/client';
import { type InteractionRequest, mayAnswer, type Principal } from '@parleyhq/core';
import type { Chain } from '../prompt/chain.ts';
import type { Found } from './rows.ts';

/**
 * The open approvals that may be answered together: those whose cards are on the page with all that is asked, once the
 * session is live (APR5), but for those that want a reason of their own (TEAM5). The snapshot names the others too, before the log has brought their text. Each is as its card has it.
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
  const shown = new Map([...inRows, ...docked].map(({ current }) => [current.interactionId, current.request?.payload]));
  return head.prompts.flatMap(({ state, request, isCut }) => {
    const card = shown.get(request.interactionId);
    const isAsked = state === 'open' && request.interactionType === 'approval' && mayAnswer(principal, request);
    return isAsked && !isCut && !request.reasonRequired && card?.digest === request.digest ? [card] : [];
  });
}
