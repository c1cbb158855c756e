import { type Asked, type Availability, mayAnswer, maySee, type Principal, type SessionId } from '@parleyhq/core';
import type { Client } from '../tabs/client.ts';
import { frameOf } from '../tabs/frame-batch.ts';
import type { Subscriptions } from '../tabs/subscriptions.ts';

/** Changes within this time, in ms, are told once: a thousand tabs that return cause one frame each. */
const windowMs = 50;

/** The connections of one principal that can draw prompts, and those of them that want to answer. */
interface Count {
  readonly principal: Principal;
  supported: number;
  enabled: number;
}

/** Who is connected, and who could answer (INT14). Subscribed or not, the inbox reaches every client. */
export class Presence {
  readonly #clients: Set<Client>;
  readonly #subscriptions: Subscriptions;
  readonly #changed = new Set<SessionId>();
  /** By principal: there are few, and what one may do all its connections may. */
  readonly #counts = new Map<string, Count>();
  #timer: NodeJS.Timeout | undefined;

  /** @param clients - every client between hello and goodbye; kept by this object, read by others */
  constructor(clients: Set<Client>, subscriptions: Subscriptions) {
    this.#clients = clients;
    this.#subscriptions = subscriptions;
  }

  connect(client: Client): void {
    this.#clients.add(client);
    this.#count(client, 1);
  }

  disconnect(client: Client): void {
    if (!this.#clients.delete(client)) return;
    this.#count(client, -1);
    for (const id of [...this.#subscriptions.sessionsOf(client)]) {
      this.#subscriptions.remove(client, id);
      this.changed(id);
    }
  }

  isHere(client: Client): boolean {
    return this.#clients.has(client);
  }

  /** Live: reads what is true now. */
  availability(id: SessionId, asked?: Asked): Availability {
    const sum = (member: 'supported' | 'enabled') => this.#sum(member, id, asked);
    return {
      get available() {
        return sum('enabled') > 0;
      },
      get supportedCount() {
        return sum('supported');
      },
      get enabledCount() {
        return sum('enabled');
      },
    };
  }

  /** Enabling says that the client can draw prompts, too (FRM2). */
  setEnabled(client: Client, isEnabled: boolean): void {
    this.#count(client, -1);
    client.isEnabled = isEnabled;
    client.isInteractive ||= isEnabled;
    this.#count(client, 1);
    this.#changedEverywhere();
  }

  changed(id: SessionId): void {
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => this.#tell(), windowMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #count(client: Client, sign: 1 | -1): void {
    if (!client.isResponder || !client.isInteractive) return;
    const { principal } = client;
    const count = this.#counts.get(principal.id) ?? { principal, supported: 0, enabled: 0 };
    count.supported += sign;
    if (client.isEnabled) count.enabled += sign;
    if (count.supported === 0) this.#counts.delete(principal.id);
    else this.#counts.set(principal.id, count);
    this.#changedEverywhere();
  }

  #sum(member: 'supported' | 'enabled', id: SessionId, asked: Asked | undefined): number {
    let sum = 0;
    for (const { principal, [member]: count } of this.#counts.values()) {
      if (maySee(principal, id) && mayAnswer(principal, asked)) sum += count;
    }
    return sum;
  }

  #changedEverywhere(): void {
    for (const client of this.#clients) for (const id of this.#subscriptions.sessionsOf(client)) this.changed(id);
  }

  #tell(): void {
    this.#timer = undefined;
    for (const sessionId of this.#changed) {
      const { supportedCount: interactive, enabledCount: enabled } = this.availability(sessionId);
      const clients = this.#subscriptions.clientsOf(sessionId);
      const batch = frameOf({ type: 'presence', sessionId, connections: clients.length, interactive, enabled });
      for (const client of clients) client.sendBatch(batch);
    }
    this.#changed.clear();
  }
}
