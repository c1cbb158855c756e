import { type ChatEvent, type Head, type Session, statusOf, type ToolCallId } from '@parleyhq/core';

/** The row as these events leave it. */
export function rowAfter(row: Session, head: Head, events: readonly ChatEvent[]): Session {
  const last = events.at(-1);
  if (!last) return row;
  const counted = {
    ...row,
    seq: head.seq,
    status: statusOf(head),
    openCount: head.prompts.length,
    updatedAt: last.timestamp,
  };
  return events.reduce(change, counted);
}

function change(row: Session, event: ChatEvent): Session {
  if (event.type !== 'session_changed') return row;
  const { title = row.title, agent = row.agent, permissionMode = row.permissionMode } = event.payload;
  return { ...row, title, agent, permissionMode };
}

/** Whose records go. */
export function endedCalls(events: readonly ChatEvent[]): readonly ToolCallId[] {
  return events.flatMap((event) => (event.type === 'tool_result' ? [event.payload.toolCallId] : []));
}
