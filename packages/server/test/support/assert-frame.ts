import {
  type ChatEvent,
  type EventType,
  hiddenPayloadSchema,
  payloadSchemas,
  refusedReplySchema,
  type ServerFrame,
  serverFrameSchema,
} from '@parleyhq/core';

/** Checks that a frame is valid in the protocol, down to the payload of each event (FRM1). */
export function assertFrame(frame: unknown): asserts frame is ServerFrame {
  const isRefusal = typeof frame === 'object' && frame !== null && 'ok' in frame && frame.ok === false;
  const parsed = (isRefusal ? refusedReplySchema : serverFrameSchema).safeParse(frame);
  if (!parsed.success)
    throw new Error(`not a frame of the protocol: ${JSON.stringify(frame)}\n${parsed.error.message}`);
  for (const event of eventsIn(frame as ServerFrame)) assertPayload(event);
}

function eventsIn(frame: ServerFrame): readonly ChatEvent[] {
  if (frame.type === 'chat_event') return [frame.event];
  return frame.type === 'chat_events' ? frame.events : [];
}

/** Checks a payload; a type of a later release has no schema here, and is not checked (EVT5). */
function assertPayload({ type, payload, seq }: ChatEvent): void {
  const known = Object.hasOwn(payloadSchemas, type) ? payloadSchemas[type as EventType] : undefined;
  const schema = 'hidden' in payload ? hiddenPayloadSchema : known;
  const parsed = schema?.safeParse(payload);
  if (parsed?.success === false) throw new Error(`event ${seq}, ${type}: ${parsed.error.message}`);
}
