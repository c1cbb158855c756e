import type { FrameBatch, RefusalError, ServerFrame } from '@parleyhq/core';

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

/** JSON that is stored as text and sent as it is. */
export class StoredJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The reply to a request that was granted. */
export function replyBatch(requestId: string, result: unknown): FrameBatch {
  if (!(result instanceof StoredJson))
    return frameOf({ type: 'reply', requestId, ok: true, ...(result !== undefined && { result }) });
  return { texts: [`{"type":"reply","requestId":${JSON.stringify(requestId)},"ok":true,"result":${result.text}}`] };
}

/** The reply to a request that was refused; to one without an id an `error` (FRM1). */
export function refusalFrame(refusal: RefusalError, requestId: string | undefined): FrameBatch {
  const error = refusal.toWire();
  return frameOf(
    requestId === undefined ? { type: 'error', ...error } : { type: 'reply', requestId, ok: false, error },
  );
}
