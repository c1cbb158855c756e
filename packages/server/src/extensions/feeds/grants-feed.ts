import type { Grant, SessionId } from '@parleyhq/core';
import { type Client, frameOf } from '@parleyhq/runtime';
import { DelayedPublication } from '../presence/delayed-publication.ts';

/** In ms: changes within this window are published once, because clients list the grants anew. */
const windowMs = 20;

/** Notifies clients that grants changed, without saying which. */
export class GrantsFeed {
  readonly #clients: ReadonlySet<Client>;
  /** Sessions whose grants changed; undefined stands for the grants that hold in all sessions. */
  readonly #changed = new Set<SessionId | undefined>();
  readonly #publication = new DelayedPublication(() => this.#publish());

  constructor(clients: ReadonlySet<Client>) {
    this.#clients = clients;
  }

  follow({ grants, usedGrants }: { readonly grants: readonly Grant[]; readonly usedGrants: readonly Grant[] }): void {
    for (const { sessionId } of grants) this.changed(sessionId);
    for (const { sessionId } of usedGrants) this.changed(sessionId);
  }

  changed(id: SessionId | undefined): void {
    this.#changed.add(id);
    this.#publication.within(windowMs);
  }

  stop(): void {
    this.#publication.stop();
  }

  #publish(): void {
    for (const sessionId of this.#changed) {
      const batch = frameOf({ type: 'grants_changed', ...(sessionId !== undefined && { sessionId }) });
      for (const client of this.#clients)
        if (sessionId === undefined || client.maySee(sessionId)) client.sendBatch(batch);
    }
    this.#changed.clear();
  }
}
