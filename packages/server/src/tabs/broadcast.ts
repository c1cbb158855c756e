import type { FrameBatch, SessionId } from '@parleyhq/core';
import type { Client } from './client.ts';
import { chatEventText, GrowingBatch } from './frame-batch.ts';
import type { Subscription } from './subscription.ts';

/** Who follows a session, and what leaves for them: all events of a tick as one batch, made once for everybody. */
export class Outbox {
  readonly #sessionId: SessionId;
  readonly #subscriptions = new Set<Subscription>();
  #batch: GrowingBatch | undefined;

  constructor(sessionId: SessionId) {
    this.#sessionId = sessionId;
  }

  get size(): number {
    return this.#subscriptions.size;
  }

  add(subscription: Subscription): void {
    this.remove(subscription.client);
    this.#subscriptions.add(subscription);
    subscription.client.subscriptions.set(this.#sessionId, subscription);
  }

  remove(client: Client): void {
    const subscription = client.subscriptions.get(this.#sessionId);
    if (!subscription) return;
    subscription.end();
    client.subscriptions.delete(this.#sessionId);
    this.#subscriptions.delete(subscription);
  }

  /** Everybody leaves: the session is gone. */
  clear(): void {
    for (const { client } of this.#subscriptions) this.remove(client);
  }

  /** A stored event's text, for all who are live; whoever still catches up reads it from the log. */
  sendEvent(text: string): void {
    if (this.#subscriptions.size === 0) return;
    const frame = chatEventText(this.#sessionId, text);
    if (this.#batch?.add(frame)) return;
    const batch = new GrowingBatch(frame);
    this.#batch = batch;
    for (const subscription of this.#subscriptions) if (subscription.isLive) subscription.send(batch);
    process.nextTick(() => this.#batch === batch && this.seal());
  }

  /** Whoever becomes live now gets what comes next, and nothing of a batch that was begun without it. */
  seal(): void {
    this.#batch = undefined;
  }

  /** An ephemeral frame: streamed text, presence, a draft. */
  sendFrame(batch: FrameBatch, isMeant: (client: Client) => boolean = () => true): void {
    this.seal(); // it comes after the events before it
    for (const { client } of this.#subscriptions) if (isMeant(client)) client.sendBatch(batch);
  }
}
