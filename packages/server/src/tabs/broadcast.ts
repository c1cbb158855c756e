import type { FrameBatch, Principal, SessionId } from '@parleyhq/core';
import type { Client } from './client.ts';
import { chatEventText, GrowingBatch } from './frame-batch.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Fans a session's frames out to its tabs: all events of a tick are one batch, made once for everybody. */
export class Broadcast {
  readonly #sessionId: SessionId;
  readonly #subscriptions: Subscriptions;
  #batch: GrowingBatch | undefined;

  constructor(sessionId: SessionId, subscriptions: Subscriptions) {
    this.#sessionId = sessionId;
    this.#subscriptions = subscriptions;
  }

  /** How many tabs follow. */
  get size(): number {
    return this.#subscriptions.countOf(this.#sessionId);
  }

  /** A stored event's text, for all tabs that are live; those that catch up read it from the log. */
  sendEvent(text: string): void {
    if (this.size === 0) return;
    const frame = chatEventText(this.#sessionId, text);
    if (this.#batch?.add(frame)) return;
    const batch = new GrowingBatch(frame);
    this.#batch = batch;
    for (const { isLive, client } of this.#subscriptions.of(this.#sessionId)) if (isLive) client.sendBatch(batch);
    process.nextTick(() => this.#batch === batch && this.seal());
  }

  /** An event of a hidden call: some get it, the others another text in its place (TEAM1). */
  sendEither(text: string, other: { readonly text: string; isFor(principal: Principal): boolean }): void {
    if (this.size === 0) return;
    this.seal(); // it comes after the events before it
    const [whole, hidden] = [text, other.text].map((each) => ({ texts: [chatEventText(this.#sessionId, each)] }));
    for (const { isLive, client } of this.#subscriptions.of(this.#sessionId))
      if (isLive) client.sendBatch((other.isFor(client.principal) ? hidden : whole) as FrameBatch);
  }

  /** Ends the open batch: a tab that becomes live now must get nothing of a batch that began without it. */
  seal(): void {
    this.#batch = undefined;
  }

  /** An ephemeral frame: streamed text, a draft. */
  sendFrame(batch: FrameBatch, isMeant: (client: Client) => boolean = () => true): void {
    this.seal(); // it comes after the events before it
    for (const { client } of this.#subscriptions.of(this.#sessionId)) if (isMeant(client)) client.sendBatch(batch);
  }
}
