import type {
  AuditChange,
  AuditDeletion,
  Head,
  HeadCache,
  Session,
  SessionFilter,
  SessionId,
  SessionRecord,
  SessionStore,
} from '@parleyhq/core';
import type { CommitQueue } from '../commit-queue.ts';
import type { Audit } from './audit.ts';
import { lookUp } from './database.ts';
import type { SessionTable } from './session-table.ts';

/** The ports of sessions and of their cached heads, over one table. */
export class Sessions implements SessionStore, HeadCache {
  readonly #queue: CommitQueue;
  readonly #table: SessionTable;
  readonly #audit: Audit;

  constructor(queue: CommitQueue, table: SessionTable, audit: Audit) {
    this.#queue = queue;
    this.#table = table;
    this.#audit = audit;
  }

  create(session: Session, opening?: AuditChange): Promise<void> {
    return this.#queue.write(() => {
      this.#table.create(session);
      const place = opening && this.#table.locate(session.id);
      if (place) this.#audit.add(session.id, place, opening);
    });
  }

  async get(sessionId: SessionId): Promise<SessionRecord | undefined> {
    return lookUp(() => this.#table.get(sessionId));
  }

  async list(filter: SessionFilter): Promise<readonly SessionRecord[]> {
    return lookUp(() => this.#table.list(filter));
  }

  async save(sessionId: SessionId, head: Head): Promise<void> {
    const text = JSON.stringify(head);
    return this.#queue.write(() => {
      const place = this.#table.locate(sessionId);
      if (place?.seq === head.seq) this.#table.cacheHead(place, text);
    });
  }

  remove(sessionId: SessionId, deletion: AuditDeletion): Promise<void> {
    return this.#queue.write(() => {
      const place = this.#table.locate(sessionId);
      if (!place) return;
      this.#audit.add(sessionId, place, deletion);
      this.#table.remove(sessionId);
    });
  }
}
