import type { ChatEvent, ResponseId, SessionId, StreamPart, WrittenBlock } from '@parleyhq/core';
import type { Outbox } from './broadcast.ts';
import { frameOf } from './frame-batch.ts';

type Place = Pick<StreamPart, 'turnId' | 'responseId' | 'block' | 'kind' | 'toolCallId'>;

interface Entry {
  readonly place: Place;
  text: string;
  /** Where `text` begins: a long tool output is kept from its end only. */
  offset: number;
  /** Up to where the tabs have it. */
  sent: number;
}

/** What a late joiner gets of a tool's output, at most; the model's own text is kept whole. */
const keptOutput = 64 * 1024;

/**
 * Text that is being written in one session: merged, sent as `stream` frames, and forgotten when the durable event that
 * ends it is stored and about to leave, so that no frame can come after that event (EVT4).
 */
export class SessionStream {
  readonly #sessionId: SessionId;
  readonly #outbox: Outbox;
  readonly #entries = new Map<string, Entry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(sessionId: SessionId, outbox: Outbox) {
    this.#sessionId = sessionId;
    this.#outbox = outbox;
  }

  write(place: Place, text: string): void {
    if (text === '') return;
    const key = keyOf(place);
    const entry = this.#entries.get(key) ?? { place, text: '', offset: 0, sent: 0 };
    entry.text += text;
    this.#entries.set(key, entry);
    this.#timer ??= setTimeout(() => this.flush(), windowFor(this.#outbox.size));
  }

  /** An event was stored that says for good what was streamed. */
  end(event: ChatEvent): void {
    if (this.#entries.size === 0) return;
    for (const [key, { place }] of this.#entries) if (endsAt(place, event)) this.#entries.delete(key);
  }

  /** What was streamed of a message and stands in no event yet. */
  written(responseId: ResponseId): readonly WrittenBlock[] {
    return [...this.#entries.values()].flatMap(({ place: { kind, block, responseId: id }, text }) =>
      id === responseId && (kind === 'text' || kind === 'thinking') ? [{ kind, block, text }] : [],
    );
  }

  /** Forgets a message that was given up: another attempt begins anew. */
  discard(responseId: ResponseId): void {
    for (const [key, { place }] of this.#entries) if (place.responseId === responseId) this.#entries.delete(key);
  }

  /** All that streams now, for whoever joins. */
  snapshot(): StreamPart[] {
    this.flush();
    return [...this.#entries.values()].map(({ place, offset, text }) => ({ ...place, offset, text }));
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const entry of this.#entries.values()) {
      const end = entry.offset + entry.text.length;
      if (entry.sent === end) continue;
      const text = entry.text.slice(entry.sent - entry.offset);
      this.#outbox.sendFrame(
        frameOf({ type: 'stream', sessionId: this.#sessionId, ...entry.place, offset: entry.sent, text }),
      );
      entry.sent = end;
      trim(entry);
    }
  }
}

/** Merging costs a few tabs nothing and saves many tabs most of their frames. */
function windowFor(tabs: number): number {
  if (tabs <= 10) return 0;
  return tabs < 100 ? 16 : 50;
}

function trim(entry: Entry): void {
  if (entry.place.kind !== 'tool_output' || entry.text.length <= 2 * keptOutput) return;
  entry.offset += entry.text.length - keptOutput;
  entry.text = entry.text.slice(-keptOutput);
}

function keyOf({ responseId, block, kind, toolCallId }: Place): string {
  return `${responseId} ${block} ${kind} ${toolCallId ?? ''}`;
}

function endsAt(place: Place, event: ChatEvent): boolean {
  switch (event.type) {
    case 'assistant_done':
      return place.kind === 'text' && place.responseId === event.responseId && place.block === event.payload.block;
    case 'thinking_done':
      return place.kind === 'thinking' && place.responseId === event.responseId && place.block === event.payload.block;
    case 'tool_call':
      return place.kind === 'tool_input' && place.toolCallId === event.payload.toolCallId;
    case 'tool_result':
      return place.kind === 'tool_output' && place.toolCallId === event.payload.toolCallId;
    case 'turn_end':
      return place.turnId === event.turnId;
    default:
      return false;
  }
}
