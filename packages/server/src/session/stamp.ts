import { type ChatEvent, eventVersion, type NewEvent, type Seq, type SessionId } from '@parleyhq/core';
import { newId } from '../node/new-id.ts';

/** Decided events as they go into the log, after `seq`. `timestamp` is of the decision, which reckoned deadlines from it. */
export function stamp(
  decided: readonly NewEvent[],
  { sessionId, seq, timestamp }: { sessionId: SessionId; seq: Seq; timestamp: string },
): readonly ChatEvent[] {
  return decided.map(({ type, payload, turnId, responseId }, index) => {
    const event = {
      seq: seq + 1 + index,
      id: newId(),
      sessionId,
      timestamp,
      turnId,
      responseId,
      v: eventVersion,
      type,
      payload,
    };
    return event as ChatEvent;
  });
}
