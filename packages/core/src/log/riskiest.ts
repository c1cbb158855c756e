import type { ChatEvent } from './event.ts';
import { findPrompt, type Head } from './head.ts';

/** Whether nobody is asked in a mode: what a stolen browser would set first. */
export function asksNobody(permissionMode: string | undefined): boolean {
  return permissionMode === 'bypassPermissions';
}

/**
 * Whether these events take a log-in that has shown its token lately (SEC9): a mode that asks nobody, or a yes for always
 * at high risk. `before` is the head that they were decided on.
 */
export function isRiskiest(before: Head, events: readonly ChatEvent[]): boolean {
  return events.some(({ type, payload }) => {
    if (type === 'session_changed') return asksNobody(payload.permissionMode);
    if (type !== 'interaction_response' || payload.approvalScope !== 'always') return false;
    return findPrompt(before, payload.interactionId)?.request.risk === 'high';
  });
}
