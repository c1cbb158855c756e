import {
  type Asked,
  type ChatEvent,
  mayAnswer,
  type Principal,
  type ResponseId,
  type SessionId,
  type StreamPart,
  type WrittenBlock,
} from '@parleyhq/core';
import type { Broadcast } from './broadcast.ts';
import { frameOf } from './frame-batch.ts';
import type { Visibility } from './visibility.ts';

type StreamTarget = Pick<StreamPart, 'turnId' | 'responseId' | 'block' | 'kind' | 'toolCallId'>;

interface StreamedText {
  readonly target: StreamTarget;
  /** Whoever gets it must be one of each of these: it may turn out to be of a hidden call (TEAM1). */
  readonly within: readonly Asked[];
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
  readonly #broadcast: Broadcast;
  readonly #texts = new Map<string, StreamedText>();
  #timer: NodeJS.Timeout | undefined;

  readonly #visibility: Pick<Visibility, 'hides'>;

  constructor(sessionId: SessionId, broadcast: Broadcast, visibility: Pick<Visibility, 'hides'>) {
    this.#sessionId = sessionId;
    this.#broadcast = broadcast;
    this.#visibility = visibility;
  }

  write(target: StreamTarget, text: string, within: readonly Asked[] = []): void {
    if (text === '') return;
    const key = keyOf(target);
    const streamed = this.#texts.get(key) ?? { target, within, text: '', offset: 0, sent: 0 };
    streamed.text += text;
    this.#texts.set(key, streamed);
    this.#timer ??= setTimeout(() => this.flush(), windowFor(this.#broadcast.size));
  }

  /** An event was stored that says for good what was streamed. */
  end(event: ChatEvent): void {
    if (this.#texts.size === 0) return;
    for (const [key, { target }] of this.#texts) if (endsAt(target, event)) this.#texts.delete(key);
  }

  /** What was streamed of a message and stands in no event yet. */
  written(responseId: ResponseId): readonly WrittenBlock[] {
    return [...this.#texts.values()].flatMap(({ target: { kind, block, responseId: id }, text }) =>
      id === responseId && (kind === 'text' || kind === 'thinking') ? [{ kind, block, text }] : [],
    );
  }

  /** Forgets a message that was given up: another attempt begins anew. */
  discard(responseId: ResponseId): void {
    for (const [key, { target }] of this.#texts) if (target.responseId === responseId) this.#texts.delete(key);
  }

  /** All that streams now, as far as whoever joins may see it. */
  snapshot(principal: Principal): StreamPart[] {
    this.flush();
    const seen = [...this.#texts.values()].filter((streamed) => this.#isFor(principal, streamed));
    return seen.map(({ target, offset, text }) => ({ ...target, offset, text }));
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const streamed of this.#texts.values()) {
      const end = streamed.offset + streamed.text.length;
      if (streamed.sent === end) continue;
      const text = streamed.text.slice(streamed.sent - streamed.offset);
      this.#broadcast.sendFrame(
        frameOf({ type: 'stream', sessionId: this.#sessionId, ...streamed.target, offset: streamed.sent, text }),
        ({ principal }) => this.#isFor(principal, streamed),
      );
      streamed.sent = end;
      trim(streamed);
    }
  }

  #isFor(principal: Principal, { target, within }: StreamedText): boolean {
    if (this.#visibility.hides(principal, target.toolCallId)) return false;
    return within.every((asked) => mayAnswer(principal, asked));
  }
}

/** Merging costs a few tabs nothing and saves many tabs most of their frames. */
function windowFor(tabs: number): number {
  if (tabs <= 10) return 0;
  return tabs < 100 ? 16 : 50;
}

function trim(streamed: StreamedText): void {
  if (streamed.target.kind !== 'tool_output' || streamed.text.length <= 2 * keptOutput) return;
  streamed.offset += streamed.text.length - keptOutput;
  streamed.text = streamed.text.slice(-keptOutput);
}

function keyOf({ responseId, block, kind, toolCallId }: StreamTarget): string {
  return `${responseId} ${block} ${kind} ${toolCallId ?? ''}`;
}

function endsAt(target: StreamTarget, event: ChatEvent): boolean {
  switch (event.type) {
    case 'assistant_done':
      return target.kind === 'text' && target.responseId === event.responseId && target.block === event.payload.block;
    case 'thinking_done':
      return (
        target.kind === 'thinking' && target.responseId === event.responseId && target.block === event.payload.block
      );
    case 'tool_call':
      return target.kind === 'tool_input' && target.toolCallId === event.payload.toolCallId;
    case 'tool_result':
      return target.kind === 'tool_output' && target.toolCallId === event.payload.toolCallId;
    case 'turn_end':
      return target.turnId === event.turnId;
    default:
      return false;
  }
}
