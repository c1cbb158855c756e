import type { Availability, SessionId } from '@parley/core';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';
import type { Live } from './hub.ts';

/** Comings and goings within this time are told once: a thousand tabs that return cause one frame each. */
const windowMs = 50;

/** Who is here, and who could answer (INT14). */
export class Presence {
  readonly #clients: ReadonlySet<Client>;
  readonly #findLive: (id: SessionId) => Promise<Live> | undefined;
  readonly #changed = new Set<SessionId>();
  #supported = 0;
  #enabled = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Live: reads what is true now. Subscribed or not, the inbox reaches every client. */
  readonly availability: Availability;

  constructor(clients: ReadonlySet<Client>, findLive: (id: SessionId) => Promise<Live> | undefined) {
    this.#clients = clients;
    this.#findLive = findLive;
    const supported = () => this.#supported;
    const enabled = () => this.#enabled;
    this.availability = {
      get available() {
        return enabled() > 0;
      },
      get supportedCount() {
        return supported();
      },
      get enabledCount() {
        return enabled();
      },
    };
  }

  /** Counts a client in (1) or out (-1). */
  count(client: Client, sign: 1 | -1): void {
    if (!client.mayAnswer) return;
    if (client.isInteractive) this.#supported += sign;
    if (client.isEnabled) this.#enabled += sign;
    if (client.isInteractive) this.#changedEverywhere();
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
      const { supportedCount: interactive, enabledCount: enabled } = this.availability;
      const connections = live.session.outbox.size;
      live.session.outbox.sendFrame(frameOf({ type: 'presence', sessionId, connections, interactive, enabled }));
    }
  }
}
