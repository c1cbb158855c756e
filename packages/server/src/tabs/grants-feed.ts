import type { SessionId } from '@parleyhq/core';
import type { Client } from './client.ts';
import { frameOf } from './frame-batch.ts';

/** Changes within this time are told once: whoever lists them anew needs the latest only. */
const windowMs = 20;

/** That what is granted is another by now, told to all that may see it: no word of what. */
export class GrantNews {
  readonly #clients: ReadonlySet<Client>;
  /** Sessions whose grants changed; undefined: those that hold in all. */
  readonly #changed = new Set<SessionId | undefined>();
  #timer: NodeJS.Timeout | undefined;

  constructor(clients: ReadonlySet<Client>) {
    this.#clients = clients;
  }

  changed(id: SessionId | undefined): void {
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => this.#tell(), windowMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #tell(): void {
    this.#timer = undefined;
    for (const sessionId of this.#changed) {
      const batch = frameOf({ type: 'grants_changed', ...(sessionId !== undefined && { sessionId }) });
      for (const client of this.#clients)
        if (sessionId === undefined || client.maySee(sessionId)) client.sendBatch(batch);
    }
    this.#changed.clear();
  }
}
