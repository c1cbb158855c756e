import type { EventStore, Seq, SessionId } from '@parleyhq/core';
import type { Client } from './client.ts';
import { chatEventsText, frameOf } from './frame-batch.ts';

/**
 * Maximum characters of a chunk of history, so that the event loop stays responsive and a reader falls behind by at most one
 * chunk.
 */
const chunkCharacters = 128 * 1024;

/**
 * One client's subscription to one session: first the stored log, then new events. It needs no buffer while it catches up,
 * because what is appended meanwhile is in the log (RPL1).
 */
export class Subscription {
  readonly client: Client;
  readonly sessionId: SessionId;
  readonly #show: (texts: readonly string[]) => readonly string[];
  #isLive = false;
  #isEnded = false;

  /** @param show - converts stored events to what the client may see (TEAM1) */
  constructor(client: Client, sessionId: SessionId, show: (texts: readonly string[]) => readonly string[]) {
    this.client = client;
    this.sessionId = sessionId;
    this.#show = show;
  }

  get isLive(): boolean {
    return this.#isLive && !this.#isEnded;
  }

  end(): void {
    this.#isEnded = true;
  }

  /** Sends stored events in chunks, as fast as the client reads them. */
  async send(texts: readonly string[]): Promise<void> {
    for (const chunk of chunksOf(texts)) {
      if (this.#isEnded) return;
      this.client.sendBatch({ texts: [chatEventsText(this.sessionId, this.#show(chunk))] });
      await this.client.connection.drained();
    }
  }

  /** Sends the log after `from` up to `storedSeq`; then the client is live. */
  async catchUp(events: Pick<EventStore, 'read'>, from: Seq, storedSeq: () => Seq, onLive: () => void): Promise<void> {
    let sent = from;
    while (!this.#isEnded && sent < storedSeq()) {
      for await (const texts of events.read(this.sessionId, sent, storedSeq() - sent)) {
        await this.send(texts);
        if (this.#isEnded) return;
        sent += texts.length;
      }
    }
    if (this.#isEnded) return;
    this.client.sendBatch(frameOf({ type: 'live', sessionId: this.sessionId, seq: sent }));
    this.#isLive = true;
    onLive();
  }
}

function* chunksOf(texts: readonly string[]): Generator<readonly string[]> {
  let start = 0;
  let size = 0;
  for (const [index, text] of texts.entries()) {
    if (index > start && size + text.length > chunkCharacters) {
      yield texts.slice(start, index);
      start = index;
      size = 0;
    }
    size += text.length;
  }
  if (start < texts.length) yield texts.slice(start);
}
