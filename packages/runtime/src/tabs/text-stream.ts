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
import { noPeers, type PublishToPeers, type SessionMessage } from '../node/peers.ts';
import type { Broadcast } from './broadcast.ts';
import { frameOf } from './frame-batch.ts';
import type { Visibility } from './visibility.ts';

type StreamTarget = Pick<StreamPart, 'turnId' | 'responseId' | 'block' | 'kind' | 'toolCallId'>;

interface StreamedText {
  readonly target: StreamTarget;
  /** Audiences that a receiver must belong to, all of them, because the text may turn out to be of a hidden call (TEAM1). */
  readonly within: readonly Asked[];
  text: string;
  /** Offset at which `text` begins: only the end of a long tool output is kept. */
  offset: number;
  /** Offset up to which the tabs have it. */
  sent: number;
  /** Whether another node writes it. */
  isHeard: boolean;
}

/** Text that another node writes. */
export interface StreamMessage extends SessionMessage {
  readonly kind: 'stream';
  readonly part: StreamPart;
  readonly within: readonly Asked[];
  /** Whether the part contains the whole text, for nodes that missed its beginning. */
  readonly isWhole?: boolean;
}

/** A message was discarded and will be written again. */
export interface DiscardMessage extends SessionMessage {
  readonly kind: 'stream_discarded';
  readonly responseId: ResponseId;
}

/** Maximum of a tool's output that a late joiner gets; the model's own text is kept whole. */
const keptOutput = 64 * 1024;

/**
 * Text that is being written in one session: merged, sent as `stream` frames, and dropped just before the durable event that ends
 * it is sent, so that no frame can follow that event (EVT4).
 */
export class TextStream {
  readonly #sessionId: SessionId;
  readonly #broadcast: Broadcast;
  readonly #texts = new Map<string, StreamedText>();
  /** Texts of this turn whose durable event was stored: late parts from another node are ignored. */
  readonly #ended = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  readonly #visibility: Pick<Visibility, 'hides'>;
  readonly #publishToPeers: PublishToPeers;

  constructor(
    sessionId: SessionId,
    broadcast: Broadcast,
    visibility: Pick<Visibility, 'hides'>,
    publishToPeers: PublishToPeers = noPeers.publish,
  ) {
    this.#sessionId = sessionId;
    this.#broadcast = broadcast;
    this.#visibility = visibility;
    this.#publishToPeers = publishToPeers;
  }

  write(target: StreamTarget, text: string, within: readonly Asked[] = []): void {
    if (text === '') return;
    const name = nameOf(target);
    const streamed = this.#texts.get(name) ?? { target, within, text: '', offset: 0, sent: 0, isHeard: false };
    streamed.text += text;
    streamed.isHeard = false;
    this.#texts.set(name, streamed);
    this.#flushSoon();
  }

  /**
   * Receives text that another node writes. Known text changes nothing; after a gap the part is dropped and the whole
   * text requested. The sender's log must not be ahead of what is known here.
   */
  receive({ part, within, isWhole = false }: Pick<StreamMessage, 'part' | 'within' | 'isWhole'>): void {
    const { offset, text, ...target } = part;
    const name = nameOf(target);
    if (this.#ended.has(name)) return;
    const known = this.#texts.get(name);
    const end = known ? known.offset + known.text.length : isWhole ? offset : 0;
    if (offset > end) {
      this.#publishToPeers({ kind: 'streams_wanted' });
      return;
    }
    const added = text.slice(end - offset);
    if (added === '') return;
    const streamed = known ?? { target, within, text: '', offset: end, sent: end, isHeard: true };
    streamed.text += added;
    this.#texts.set(name, streamed);
    this.#flushSoon();
  }

  /** Publishes all text that is written here and not yet in an event, because another node missed something. */
  publishAll(): void {
    this.flush();
    for (const { target, within, text, offset, isHeard } of this.#texts.values())
      if (!isHeard) this.#publishToPeers({ kind: 'stream', part: { ...target, offset, text }, within, isWhole: true });
  }

  /** Drops the text that a stored event contains. */
  end(event: ChatEvent): void {
    if (event.type === 'turn_end' || event.type === 'turn_resumed') this.#endTurn(event);
    const name = endedBy(event);
    if (name === undefined) return;
    this.#texts.delete(name);
    this.#ended.add(name);
  }

  /** Drops all text of an ended turn; for a turn that was taken over, only what another node wrote. */
  #endTurn({ type, turnId }: ChatEvent): void {
    for (const [name, { target, isHeard }] of this.#texts)
      if (target.turnId === turnId && (type === 'turn_end' || isHeard)) this.#texts.delete(name);
    this.#ended.clear();
  }

  /** Returns what was streamed of a message and is not in an event yet. */
  written(responseId: ResponseId): readonly WrittenBlock[] {
    return [...this.#texts.values()].flatMap(({ target: { kind, block, responseId: id }, text }) =>
      id === responseId && (kind === 'text' || kind === 'thinking') ? [{ kind, block, text }] : [],
    );
  }

  /** Id of the message that another node is writing, as far as known. */
  get heardResponse(): ResponseId | undefined {
    return [...this.#texts.values()].find(({ isHeard, target }) => isHeard && target.kind !== 'tool_output')?.target
      .responseId;
  }

  /** Discards a message that failed and will be attempted again, here and at the other nodes. */
  discard(responseId: ResponseId): void {
    this.forget(responseId);
    this.#publishToPeers({ kind: 'stream_discarded', responseId });
  }

  /** Discards a message here. */
  forget(responseId: ResponseId): void {
    for (const [name, { target }] of this.#texts) if (target.responseId === responseId) this.#texts.delete(name);
  }

  /** Returns all text being streamed that a joining principal may see. */
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
      const { target, within, isHeard, sent: offset } = streamed;
      const part = { ...target, offset, text };
      this.#broadcast.sendFrame(frameOf({ type: 'stream', sessionId: this.#sessionId, ...part }), ({ principal }) =>
        this.#isFor(principal, streamed),
      );
      if (!isHeard) this.#publishToPeers({ kind: 'stream', part, within });
      streamed.sent = end;
      trim(streamed);
    }
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), windowFor(this.#broadcast.size));
  }

  #isFor(principal: Principal, { target, within }: StreamedText): boolean {
    if (this.#visibility.hides(principal, target.toolCallId)) return false;
    return within.every((asked) => mayAnswer(principal, asked));
  }
}

/** Returns the merge window in ms: few tabs need none, and with many tabs it saves most of the frames. */
function windowFor(tabs: number): number {
  if (tabs <= 10) return 0;
  return tabs < 100 ? 16 : 50;
}

function trim(streamed: StreamedText): void {
  if (streamed.target.kind !== 'tool_output' || streamed.text.length <= 2 * keptOutput) return;
  streamed.offset += streamed.text.length - keptOutput;
  streamed.text = streamed.text.slice(-keptOutput);
}

/** Returns the name of a streamed text, unique within its turn. */
function nameOf({ responseId, block, kind, toolCallId }: StreamTarget): string {
  return toolCallId === undefined ? `${kind} ${responseId} ${block}` : `${kind} ${toolCallId}`;
}

/** Returns the name of the text that an event contains. */
function endedBy({ type, payload, responseId = '' }: ChatEvent): string | undefined {
  switch (type) {
    case 'assistant_done':
      return nameOf({ turnId: '', kind: 'text', responseId, block: payload.block });
    case 'thinking_done':
      return nameOf({ turnId: '', kind: 'thinking', responseId, block: payload.block });
    case 'tool_call':
      return nameOf({ turnId: '', kind: 'tool_input', responseId, block: 0, toolCallId: payload.toolCallId });
    case 'tool_result':
      return nameOf({ turnId: '', kind: 'tool_output', responseId, block: 0, toolCallId: payload.toolCallId });
    default:
      return undefined;
  }
}
