import { findCall, findPrompt, type Head, type JournalRecord, type NewEvent, type ToolCallId } from '@parleyhq/core';

/** What the record of an end of a wait is called that the call's code has not run to see. */
export function unheardKey(what: string): string {
  return `unheard:${what}`;
}

/** What ends the wait for a callback, beside the ids of prompts. */
export function nameCallback(key: string): string {
  return `callback ${key}`;
}

/**
 * A call that sleeps has done nothing since it began to wait: what ends a wait of it is stored with this mark, so that a later process knows
 * that nobody acted on it, and goes on in silence (DUR2). The call takes the mark away before it acts.
 */
export function unheardRecords(
  head: Head,
  events: readonly NewEvent[],
  isAsleep: ((id: ToolCallId) => boolean) | undefined,
): readonly JournalRecord[] {
  if (!isAsleep) return [];
  const over = new Set(events.flatMap(({ type, payload }) => (type === 'tool_result' ? payload.toolCallId : [])));
  return events.flatMap((event) => {
    const what = whatEnds(head, event);
    if (what === undefined || over.has(what.toolCallId) || !isAsleep(what.toolCallId)) return [];
    return [{ toolCallId: what.toolCallId, key: unheardKey(what.name), value: true }];
  });
}

/** The wait of an open call that an event ends. A pending prompt is none: its tool went on. */
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
