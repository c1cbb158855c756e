import { findCall, findPrompt, type Head, type JournalRecord, type NewEvent, type ToolCallId } from '@parleyhq/core';

/** Returns the key of the record that a wait ended and the call's code has not acted on it. */
export function unacknowledgedKey(what: string): string {
  return `unheard:${what}`;
}

/** Returns the name of a wait for a callback; waits for prompts are named by their ids. */
export function nameCallback(key: string): string {
  return `callback ${key}`;
}

/**
 * Returns records that mark the ended waits of sleeping calls. A sleeping call has done nothing since it began to wait; by the
 * mark a later process knows that nothing acted on the end of the wait, and continues silently (DUR2). The call removes the mark
 * before it acts.
 */
export function unacknowledgedRecords(
  head: Head,
  events: readonly NewEvent[],
  isAsleep: ((id: ToolCallId) => boolean) | undefined,
): readonly JournalRecord[] {
  if (!isAsleep) return [];
  const over = new Set(events.flatMap(({ type, payload }) => (type === 'tool_result' ? payload.toolCallId : [])));
  return events.flatMap((event) => {
    const what = whatEnds(head, event);
    if (what === undefined || over.has(what.toolCallId) || !isAsleep(what.toolCallId)) return [];
    return [{ toolCallId: what.toolCallId, key: unacknowledgedKey(what.name), value: true }];
  });
}

/** Returns the wait of an open call that an event ends. A pending prompt does not count: its tool went on. */
export function whatEnds(head: Head, event: NewEvent): { toolCallId: ToolCallId; name: string } | undefined {
  switch (event.type) {
    case 'interaction_response':
    case 'interaction_expired':
    case 'interaction_closed': {
      const { toolCallId, interactionId } = event.payload;
      const state = findPrompt(head, interactionId)?.state;
      const isWait = state !== undefined && state !== 'pending' && findCall(head, toolCallId) !== undefined;
      return isWait ? { toolCallId, name: interactionId } : undefined;
    }
    case 'callback_settled': {
      const { toolCallId, key } = event.payload;
      return { toolCallId, name: nameCallback(key) };
    }
    default:
      return undefined;
  }
}
