import type { ChatEvent, ResponseId, StreamPart, ToolCallId, TurnId } from '@parleyhq/core';

/** Text that is being streamed, as far as it has arrived. */
export interface Stream {
  readonly turnId: TurnId;
  readonly responseId: ResponseId;
  readonly block: number;
  readonly kind: StreamPart['kind'];
  readonly toolCallId: ToolCallId | undefined;
  readonly text: string;
}

/** Appends a part to its stream. Repeated parts, and parts after a gap, are dropped: the final event has the whole text. */
export function addStreamPart(streams: readonly Stream[], part: StreamPart): readonly Stream[] {
  const { offset, turnId, responseId, block, kind, toolCallId, text: added } = part;
  const begun: Stream = { turnId, responseId, block, kind, toolCallId, text: added };
  const known = streams.find((stream) => isSame(stream, begun));
  if (!known) return offset === 0 ? [...streams, begun] : streams;
  if (offset > known.text.length || offset + added.length <= known.text.length) return streams;
  const text = known.text.slice(0, offset) + added;
  return streams.map((stream) => (stream === known ? { ...known, text } : stream));
}

function isSame(a: Stream, b: Stream): boolean {
  return a.responseId === b.responseId && a.block === b.block && a.kind === b.kind && a.toolCallId === b.toolCallId;
}

/** Drops the streams that an event supersedes (EVT4). */
export function endStreams(streams: readonly Stream[], event: ChatEvent): readonly Stream[] {
  if (streams.length === 0) return streams;
  const isEnded = endedBy(event);
  return isEnded && streams.some(isEnded) ? streams.filter((stream) => !isEnded(stream)) : streams;
}

function endedBy(event: ChatEvent): ((stream: Stream) => boolean) | undefined {
  switch (event.type) {
    case 'assistant_done':
      return ({ kind, block, responseId }) =>
        kind === 'text' && block === event.payload.block && responseId === event.responseId;
    case 'thinking_done':
      return ({ kind, block, responseId }) =>
        kind === 'thinking' && block === event.payload.block && responseId === event.responseId;
    case 'tool_call':
      return ({ kind, toolCallId }) => kind === 'tool_input' && toolCallId === event.payload.toolCallId;
    case 'tool_result':
      return ({ toolCallId }) => toolCallId === event.payload.toolCallId;
    case 'error':
    case 'turn_resumed':
    case 'turn_end':
      return ({ turnId, kind }) => turnId === event.turnId && (event.type === 'turn_end' || kind !== 'tool_output');
    default:
      return undefined;
  }
}
