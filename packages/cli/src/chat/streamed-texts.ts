import type { Stream } from '@parleyhq/client';
import type { ChatEvent, Items } from '@parleyhq/core';
import { agentOf } from '../terminal/event-words.ts';
import type { StreamedText } from '../terminal/stream-printer.ts';

/** Returns the streams that are shown to people, with the mark and tone in which each is printed. */
export function findStreamedTexts(streams: readonly Stream[], items: Items): readonly StreamedText[] {
  return streams.flatMap((stream): StreamedText[] => {
    const { kind, text, toolCallId = '' } = stream;
    switch (kind) {
      case 'text':
        return [{ key: keyOf(stream), piece: { tone: 'agent', mark: `${agentOf(stream, items)}:`, text } }];
      case 'thinking':
        return [{ key: keyOf(stream), piece: { tone: 'quiet', mark: 'thinking:', text } }];
      case 'tool_output':
        return [{ key: toolCallId, piece: { tone: 'quiet', mark: '|', text: text.trimEnd() } }];
      default:
        return [];
    }
  });
}

/** Returns the stream that an event ends, and whether the event carries its whole text. */
export function findEnded(event: ChatEvent): { readonly key: string; readonly isWhole: boolean } | undefined {
  switch (event.type) {
    case 'assistant_done':
      return { key: keyOf({ ...event, kind: 'text', block: event.payload.block }), isWhole: true };
    case 'thinking_done':
      return { key: keyOf({ ...event, kind: 'thinking', block: event.payload.block }), isWhole: true };
    case 'tool_result':
      return { key: event.payload.toolCallId, isWhole: false };
    default:
      return undefined;
  }
}

function keyOf({ kind, responseId, block }: { kind: string; responseId?: string | undefined; block: number }): string {
  return `${kind} ${responseId} ${block}`;
}
