import type { Epoch } from '@parleyhq/core';

/**
 * Encodes texts as server-sent events. A frame that advances a client's position in a log has that position as its id:
 * `<sessionId>:<seq>:<epoch>`.
 */
export function encodeEvents(texts: readonly string[], epoch: Epoch): Buffer {
  return Buffer.from(texts.map((text) => encodeEvent(text, epoch)).join(''));
}

/** Encodes the last event of a stream, because SSE itself has no close codes (FRM3). */
export function encodeClose(code: number, reason: string): string {
  return `event: close\ndata: ${JSON.stringify({ code, reason })}\n\n`;
}

/** A comment, which keeps proxies from closing an idle stream. */
export const heartbeat = ':\n\n';

function encodeEvent(text: string, epoch: Epoch): string {
  const place = placeOf(text);
  const id = place === undefined ? '' : `id: ${place.sessionId}:${place.seq}:${epoch}\n`;
  return `${id}data: ${text}\n\n`; // frames contain no line breaks, in strings or outside
}

const moving = /^\{"type":"(chat_events?|live)"/;

function placeOf(text: string): { readonly sessionId: string; readonly seq: number } | undefined {
  if (!moving.test(text)) return undefined;
  const { sessionId, event, events, seq } = JSON.parse(text);
  const last = event?.seq ?? events?.at(-1)?.seq ?? seq;
  return last === undefined ? undefined : { sessionId, seq: last };
}
