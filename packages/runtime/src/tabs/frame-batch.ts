import type { FrameBatch, RefusalError, ServerFrame } from '@parleyhq/core';

/**
 * A batch that grows until a connection reads it to write it, at once or at the end of the tick. All connections thus get the
 * same frames, whatever their transport.
 */
export class GrowingBatch implements FrameBatch {
  readonly #texts: string[];
  #isSealed = false;

  constructor(text: string) {
    this.#texts = [text];
  }

  get texts(): readonly string[] {
    this.#isSealed = true;
    return this.#texts;
  }

  /** Adds a frame. @returns false, and adds nothing, once the batch was read */
  add(text: string): boolean {
    if (!this.#isSealed) this.#texts.push(text);
    return !this.#isSealed;
  }
}

/** Makes a batch of one frame. */
export function frameOf(frame: ServerFrame): FrameBatch {
  return { texts: [JSON.stringify(frame)] };
}

/** Returns a function that makes a `chat_event` frame around an event's stored text: the event is not serialised again. */
export function makeChatEventText(sessionId: string): (eventText: string) => string {
  const start = `{"type":"chat_event","sessionId":${JSON.stringify(sessionId)},"event":`;
  return (eventText) => `${start}${eventText}}`;
}

/** Makes a `chat_events` frame around stored texts. */
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

/** Makes the reply to a request that was granted. */
export function replyBatch(requestId: string, result: unknown): FrameBatch {
  if (!(result instanceof StoredJson))
    return frameOf({ type: 'reply', requestId, ok: true, ...(result !== undefined && { result }) });
  return { texts: [`{"type":"reply","requestId":${JSON.stringify(requestId)},"ok":true,"result":${result.text}}`] };
}

/** Makes the reply to a refused request; an `error` frame if the request has no id (FRM1). */
export function refusalFrame(refusal: RefusalError, requestId: string | undefined): FrameBatch {
  const error = refusal.toWire();
  return frameOf(
    requestId === undefined ? { type: 'error', ...error } : { type: 'reply', requestId, ok: false, error },
  );
}
