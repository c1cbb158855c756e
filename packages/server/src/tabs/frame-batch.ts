import type { FrameBatch, ServerFrame } from '@parleyhq/core';

/** A batch of one frame. */
export function frameOf(frame: ServerFrame): FrameBatch {
  return { texts: [JSON.stringify(frame)] };
}

/** A `chat_event` frame around an event's stored text: the event is not serialised again. */
export function chatEventText(sessionId: string, eventText: string): string {
  return `{"type":"chat_event","sessionId":${JSON.stringify(sessionId)},"event":${eventText}}`;
}

/** A `chat_events` frame around stored texts. */
export function chatEventsText(sessionId: string, eventTexts: readonly string[]): string {
  return `{"type":"chat_events","sessionId":${JSON.stringify(sessionId)},"events":[${eventTexts.join(',')}]}`;
}
