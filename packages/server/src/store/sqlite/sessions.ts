import type { Session, SessionFilter, SessionId, SessionRecord, SessionStore } from '@parley/core';
import type { CommitQueue } from '../commit-queue.ts';
import { lookUp } from './event-log.ts';
import type { SessionTable } from './session-table.ts';

/** The sessions' port over their table. */
export class Sessions implements SessionStore {
  readonly #queue: CommitQueue;
  readonly #table: SessionTable;

  constructor(queue: CommitQueue, table: SessionTable) {
    this.#queue = queue;
    this.#table = table;
  }

  create(session: Session): Promise<void> {
    return this.#queue.write(() => this.#table.create(session));
  }

  async get(sessionId: SessionId): Promise<SessionRecord | undefined> {
    return lookUp(() => this.#table.get(sessionId));
  }

  async list(filter: SessionFilter): Promise<readonly SessionRecord[]> {
    return lookUp(() => this.#table.list(filter));
  }

  remove(sessionId: SessionId): Promise<void> {
    return this.#queue.write(() => this.#table.remove(sessionId));
  }
}
