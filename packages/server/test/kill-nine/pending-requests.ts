import { randomUUID } from 'node:crypto';
import type { Answer, InteractionRequest, ServerFrameOf } from '@parleyhq/core';
import type { LoggedEvent } from './checked-log.ts';
import type { HistoryEntry } from './history.ts';
import type { ClientLink } from './link.ts';

interface PendingRequest {
  readonly frame: object;
  readonly note: (reply: ServerFrameOf<'reply'>) => void;
}

/** Codes that say that nothing was decided, and how soon such a request is sent again. */
const passing = ['retry_later', 'storage_failed', 'storage_busy', 'storage_full'];
const retryMs = 30;

/** Requests without a reply; they are sent again over each new link, under the same ids. */
export class PendingRequests {
  readonly #requests = new Map<string, PendingRequest>();
  readonly #answered = new Set<string>();
  readonly #entries: HistoryEntry[];
  #link: ClientLink | undefined;

  constructor(entries: HistoryEntry[]) {
    this.#entries = entries;
  }

  get isEmpty(): boolean {
    return this.#requests.size === 0;
  }

  /** Replaces the link; undefined if there is none. */
  use(link: ClientLink | undefined): void {
    this.#link = link;
    for (const [requestId, { frame }] of this.#requests) link?.send({ ...frame, requestId });
  }

  say(sessionId: string, messageId: string, text: string): void {
    const note = (reply: ServerFrameOf<'reply'>) => {
      if (!reply.ok) throw new Error(`the message was refused: ${JSON.stringify(reply)}`);
      this.#entries.push({ kind: 'message acked', messageId, seq: seqOf(reply) });
    };
    this.#post({ frame: { type: 'user_message', sessionId, messageId, text }, note });
  }

  /** Answers a prompt, once. */
  answer(sessionId: string, { toolCallId, interactionId, digest }: InteractionRequest, answer: Answer): void {
    if (this.#answered.has(interactionId)) return;
    this.#answered.add(interactionId);
    const answerId = randomUUID();
    this.#entries.push({ kind: 'sent', interactionId, answerId });
    const note = (reply: ServerFrameOf<'reply'>) => {
      if (reply.ok) this.#entries.push({ kind: 'acked', interactionId, answerId, seq: seqOf(reply) });
      else {
        const { code, details } = reply.error;
        const winner = code === 'already_answered' ? (details as { event: LoggedEvent }).event : undefined;
        this.#entries.push({ kind: 'refused', interactionId, answerId, code, winner });
      }
    };
    const type = 'tool_interaction_response';
    this.#post({ frame: { type, sessionId, callId: toolCallId, interactionId, answerId, digest, ...answer }, note });
  }

  receive(reply: ServerFrameOf<'reply'>): void {
    const request = this.#requests.get(reply.requestId);
    if (!request) return;
    this.#requests.delete(reply.requestId);
    if (!reply.ok && passing.includes(reply.error.code)) {
      this.#entries.push({ kind: 'put off', code: reply.error.code });
      setTimeout(() => this.#post(request), retryMs);
    } else request.note(reply);
  }

  #post(request: PendingRequest): void {
    const requestId = randomUUID();
    this.#requests.set(requestId, request);
    this.#link?.send({ ...request.frame, requestId });
  }
}

function seqOf(reply: ServerFrameOf<'reply'> & { ok: true }): number {
  return (reply.result as { seq: number }).seq;
}
