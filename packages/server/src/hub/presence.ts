import { type Audience, type Availability, mayAnswer, maySee, type Principal, type SessionId } from '@parleyhq/core';
import type { Client } from '../tabs/client.ts';
import { frameOf } from '../tabs/frame-batch.ts';
import type { Live } from './hub.ts';

/** Comings and goings within this time are told once: a thousand tabs that return cause one frame each. */
const windowMs = 50;

/** The connections of one principal that can draw prompts, and those of them that want to answer. */
interface Count {
  readonly principal: Principal;
  supported: number;
  enabled: number;
}

/** Who is here, and who could answer (INT14). Subscribed or not, the inbox reaches every client. */
export class Presence {
  readonly #clients: ReadonlySet<Client>;
  readonly #findLive: (id: SessionId) => Promise<Live> | undefined;
  readonly #changed = new Set<SessionId>();
  /** By principal: there are few, and what one may do all its connections may. */
  readonly #counts = new Map<string, Count>();
  #timer: NodeJS.Timeout | undefined;

  constructor(clients: ReadonlySet<Client>, findLive: (id: SessionId) => Promise<Live> | undefined) {
    this.#clients = clients;
    this.#findLive = findLive;
  }

  /** Live: reads what is true now. */
  availability(id: SessionId, audience?: Audience): Availability {
    const sum = (member: 'supported' | 'enabled') => this.#sum(member, id, audience);
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

  /** Counts a client in (1) or out (-1). */
  count(client: Client, sign: 1 | -1): void {
    if (!client.isResponder || !client.isInteractive) return;
    const { principal } = client;
    const count = this.#counts.get(principal.id) ?? { principal, supported: 0, enabled: 0 };
    count.supported += sign;
    if (client.isEnabled) count.enabled += sign;
    if (count.supported === 0) this.#counts.delete(principal.id);
    else this.#counts.set(principal.id, count);
    this.#changedEverywhere();
  }

  /** Enabling says that the client can draw prompts, too (FRM2). */
  setEnabled(client: Client, isEnabled: boolean): void {
    this.count(client, -1);
    client.isEnabled = isEnabled;
    client.isInteractive ||= isEnabled;
    this.count(client, 1);
    this.#changedEverywhere();
  }

  changed(id: SessionId): void {
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => void this.#tell(), windowMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #sum(member: 'supported' | 'enabled', id: SessionId, audience: Audience | undefined): number {
    let sum = 0;
    for (const { principal, [member]: count } of this.#counts.values()) {
      if (maySee(principal, id) && mayAnswer(principal, audience)) sum += count;
    }
    return sum;
  }

  #changedEverywhere(): void {
    for (const client of this.#clients) for (const id of client.subscriptions.keys()) this.changed(id);
  }

  async #tell(): Promise<void> {
    this.#timer = undefined;
    const ids = [...this.#changed];
    this.#changed.clear();
    for (const sessionId of ids) {
      const live = await this.#findLive(sessionId);
      if (!live) continue;
      const { supportedCount: interactive, enabledCount: enabled } = this.availability(sessionId);
      const connections = live.session.outbox.size;
      live.session.outbox.sendFrame(frameOf({ type: 'presence', sessionId, connections, interactive, enabled }));
    }
  }
}
