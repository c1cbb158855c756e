import type { FrameBatch, Principal, SessionId } from '@parleyhq/core';
import type { Client } from './client.ts';
import { GrowingBatch, makeChatEventText } from './frame-batch.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Sends a session's frames to its tabs: all events of a tick are one batch, made once for all of them. */
export class Broadcast {
  readonly #sessionId: SessionId;
  readonly #subscriptions: Subscriptions;
  readonly #toText: (eventText: string) => string;
  #batch: GrowingBatch | undefined;

  constructor(sessionId: SessionId, subscriptions: Subscriptions) {
    this.#sessionId = sessionId;
    this.#subscriptions = subscriptions;
    this.#toText = makeChatEventText(sessionId);
  }

  /** Number of tabs that follow. */
  get size(): number {
    return this.#subscriptions.countOf(this.#sessionId);
  }

  /** Sends a stored event to all tabs that are caught up; the others read it from the log. */
  sendEvent(text: string): void {
    if (this.size === 0) return;
    const frame = this.#toText(text);
    if (this.#batch?.add(frame)) return;
    const batch = new GrowingBatch(frame);
    this.#batch = batch;
    for (const { isLive, client } of this.#subscriptions.of(this.#sessionId)) if (isLive) client.sendBatch(batch);
    process.nextTick(() => this.#batch === batch && this.seal());
  }

  /** Sends an event of a hidden call, in its hidden form to those who may not see it (TEAM1). */
  sendEither(text: string, other: { readonly text: string; isFor(principal: Principal): boolean }): void {
    if (this.size === 0) return;
    this.seal(); // it comes after the events before it
    const [whole, hidden] = [text, other.text].map((each) => ({ texts: [this.#toText(each)] }));
    for (const { isLive, client } of this.#subscriptions.of(this.#sessionId))
      if (isLive) client.sendBatch((other.isFor(client.principal) ? hidden : whole) as FrameBatch);
  }

  /** Ends the open batch, so that a tab that is caught up from now on gets nothing of a batch that began before. */
  seal(): void {
    this.#batch = undefined;
  }

  /** Sends an ephemeral frame: streamed text, or a draft. */
  sendFrame(batch: FrameBatch, isMeant: (client: Client) => boolean = () => true): void {
    this.seal(); // it comes after the events before it
    for (const { client } of this.#subscriptions.of(this.#sessionId)) if (isMeant(client)) client.sendBatch(batch);
  }
}
