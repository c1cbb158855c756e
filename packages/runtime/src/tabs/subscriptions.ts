import type { SessionId } from '@parleyhq/core';
import type { Client } from './client.ts';
import type { Subscription } from './subscription.ts';

const nobody: ReadonlyMap<Client, Subscription> = new Map();
const nothing: ReadonlySet<SessionId> = new Set();

/** Which clients follow which sessions; the only place that stores this. */
export class Subscriptions {
  readonly #bySession = new Map<SessionId, Map<Client, Subscription>>();
  readonly #byClient = new Map<Client, Set<SessionId>>();

  /** Adds a subscription; it replaces an earlier one of the same client to the same session. */
  add(subscription: Subscription): void {
    const { client, sessionId } = subscription;
    this.remove(client, sessionId);
    const followers = this.#bySession.get(sessionId) ?? new Map<Client, Subscription>();
    this.#bySession.set(sessionId, followers.set(client, subscription));
    const followed = this.#byClient.get(client) ?? new Set<SessionId>();
    this.#byClient.set(client, followed.add(sessionId));
  }

  remove(client: Client, sessionId: SessionId): void {
    const followers = this.#bySession.get(sessionId);
    followers?.get(client)?.end();
    if (followers?.delete(client) && followers.size === 0) this.#bySession.delete(sessionId);
    const followed = this.#byClient.get(client);
    if (followed?.delete(sessionId) && followed.size === 0) this.#byClient.delete(client);
  }

  /** Removes a subscription, unless the client has subscribed anew meanwhile. */
  drop(subscription: Subscription): void {
    const { client, sessionId } = subscription;
    if (this.#bySession.get(sessionId)?.get(client) === subscription) this.remove(client, sessionId);
  }

  /** Removes all subscriptions to a deleted session. */
  removeAllOf(sessionId: SessionId): void {
    for (const client of this.clientsOf(sessionId)) this.remove(client, sessionId);
  }

  of(sessionId: SessionId): Iterable<Subscription> {
    return (this.#bySession.get(sessionId) ?? nobody).values();
  }

  clientsOf(sessionId: SessionId): readonly Client[] {
    return [...(this.#bySession.get(sessionId) ?? nobody).keys()];
  }

  countOf(sessionId: SessionId): number {
    return this.#bySession.get(sessionId)?.size ?? 0;
  }

  /** The sessions that somebody follows. */
  get followed(): Iterable<SessionId> {
    return this.#bySession.keys();
  }

  /** Whether a client gets a session's new events as they are stored: it follows the session and has caught up. */
  isLive(client: Client, sessionId: SessionId): boolean {
    return this.#bySession.get(sessionId)?.get(client)?.isLive ?? false;
  }

  /** Returns the sessions that a client follows. */
  sessionsOf(client: Client): ReadonlySet<SessionId> {
    return this.#byClient.get(client) ?? nothing;
  }
}
