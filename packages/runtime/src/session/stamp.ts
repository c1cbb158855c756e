import { type ChatEvent, eventVersion, type NewEvent, type Seq, type SessionId } from '@parleyhq/core';
import { newId } from '../node/new-id.ts';

/**
 * Completes decided events for the log, after `seq`. `timestamp` is the time of the decision, from which deadlines were computed.
 */
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
