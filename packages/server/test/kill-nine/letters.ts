import { randomUUID } from 'node:crypto';
import type { Answer, InteractionRequest, ServerFrameOf } from '@parleyhq/core';
import type { HistoryEntry } from './history.ts';
import type { Line } from './line.ts';

interface Letter {
  readonly frame: object;
  readonly note: (reply: ServerFrameOf<'reply'>) => void;
}

/** How soon `retry_later` is sent again. */
const retryMs = 30;

/** What a client wants of the server and has no reply to: sent again over each new line, under the same ids. */
export class Letters {
  readonly #letters = new Map<string, Letter>();
  readonly #answered = new Set<string>();
  readonly #entries: HistoryEntry[];
  #line: Line | undefined;

  constructor(entries: HistoryEntry[]) {
    this.#entries = entries;
  }

  get isEmpty(): boolean {
    return this.#letters.size === 0;
  }

  /** A new line, or none. */
  use(line: Line | undefined): void {
    this.#line = line;
    for (const [requestId, { frame }] of this.#letters) line?.send({ ...frame, requestId });
  }

  say(sessionId: string, messageId: string, text: string): void {
    const note = (reply: ServerFrameOf<'reply'>) => {
      if (!reply.ok) throw new Error(`the message was refused: ${JSON.stringify(reply)}`);
      this.#entries.push({ kind: 'message acked', messageId, seq: seqOf(reply) });
    };
    this.#post({ frame: { type: 'user_message', sessionId, messageId, text }, note });
  }

  /** Once a prompt, whatever becomes of it. */
  answer(sessionId: string, { toolCallId, interactionId, digest }: InteractionRequest, answer: Answer): void {
    if (this.#answered.has(interactionId)) return;
    this.#answered.add(interactionId);
    const answerId = randomUUID();
    this.#entries.push({ kind: 'sent', interactionId, answerId });
    const note = (reply: ServerFrameOf<'reply'>) => {
      if (reply.ok) this.#entries.push({ kind: 'acked', interactionId, answerId, seq: seqOf(reply) });
      else this.#entries.push({ kind: 'refused', interactionId, answerId, code: reply.error.code });
    };
    const type = 'tool_interaction_response';
    this.#post({ frame: { type, sessionId, callId: toolCallId, interactionId, answerId, digest, ...answer }, note });
  }

  receive(reply: ServerFrameOf<'reply'>): void {
    const letter = this.#letters.get(reply.requestId);
    if (!letter) return;
    this.#letters.delete(reply.requestId);
    if (!reply.ok && reply.error.code === 'retry_later') setTimeout(() => this.#post(letter), retryMs);
    else letter.note(reply);
  }

  #post(letter: Letter): void {
    const requestId = randomUUID();
    this.#letters.set(requestId, letter);
    this.#line?.send({ ...letter.frame, requestId });
  }
}

function seqOf(reply: ServerFrameOf<'reply'> & { ok: true }): number {
  return (reply.result as { seq: number }).seq;
}
