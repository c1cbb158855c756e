import { type ChatEvent, type Head, type Payload, type Session, statusOf, type ToolCallId } from '@parleyhq/core';

/** Returns the row after these events. */
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
  switch (event.type) {
    case 'session_changed':
      return place({ ...row, ...named(event.payload) }, event.payload);
    case 'user_message':
    case 'message_queued':
      return place(row, { archived: false });
    case 'tool_call':
      // a call of a program, which has no message
      return event.payload.callId === undefined ? row : place(row, { archived: false });
    default:
      return row;
  }
}

function named({ title, agent, permissionMode }: Payload<'session_changed'>): Partial<Session> {
  return {
    ...(title !== undefined && { title }),
    ...(agent !== undefined && { agent }),
    ...(permissionMode !== undefined && { permissionMode }),
  };
}

/** Sets whether the session is pinned or archived. A mark that is off is absent, as in rows from before marks existed. */
function place(
  { pinned, archived, ...row }: Session,
  to: Pick<Payload<'session_changed'>, 'pinned' | 'archived'>,
): Session {
  return {
    ...row,
    ...((to.pinned ?? pinned) && { pinned: true }),
    ...((to.archived ?? archived) && { archived: true }),
  };
}

/** Returns the calls that ended: their records are deleted. */
export function endedCalls(events: readonly ChatEvent[]): readonly ToolCallId[] {
  return events.flatMap((event) => (event.type === 'tool_result' ? [event.payload.toolCallId] : []));
}
