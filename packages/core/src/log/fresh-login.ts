import type { ChatEvent } from './event.ts';
import { findPrompt, type Head } from './head.ts';

/** Whether a mode asks nobody. A stolen browser session would be used to select it first. */
export function asksNobody(permissionMode: string | undefined): boolean {
  return permissionMode === 'bypassPermissions';
}

/**
 * Whether these events need a log-in that presented its token recently (SEC9): a mode that asks nobody, or an `always` approval
 * at high risk. `before` is the head on which they were decided.
 */
export function needsFreshLogin(before: Head, events: readonly ChatEvent[]): boolean {
  return events.some(({ type, payload }) => {
    if (type === 'session_changed') return asksNobody(payload.permissionMode);
    if (type !== 'interaction_response' || payload.approvalScope !== 'always') return false;
    return findPrompt(before, payload.interactionId)?.request.risk === 'high';
  });
}
