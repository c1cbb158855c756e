import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type AuditDeletion,
  type Creation,
  type Head,
  type HeadCache,
  type Removal,
  type Session,
  type SessionFilter,
  type SessionId,
  type SessionRecord,
  type SessionStore,
  StoreError,
} from '@parleyhq/core';
import { type CommitQueue, grantRevoked, requireRoom } from '@parleyhq/store-kit';
import type { Audit } from './audit.ts';
import { lookUp } from './database.ts';
import type { SessionTable } from './session-table.ts';
import type { Credentials } from './tokens-and-logins.ts';

/** Rows per read: few enough not to block the event loop. */
const chunkRows = 256;

/** The stores of sessions and of their cached heads, over one table. */
export class Sessions implements SessionStore, HeadCache {
  readonly #queue: CommitQueue;
  readonly #table: SessionTable;
  readonly #audit: Audit;
  readonly #credentials: Credentials;

  constructor(queue: CommitQueue, parts: { table: SessionTable; audit: Audit; credentials: Credentials }) {
    this.#queue = queue;
    this.#table = parts.table;
    this.#audit = parts.audit;
    this.#credentials = parts.credentials;
  }

  create(session: Session, { opening, authority, maker }: Creation = {}): Promise<void> {
    return this.#queue.write(() => {
      this.#credentials.require(authority);
      if (maker) requireRoom(maker, (person) => this.#table.countOf(person));
      this.#table.create(session, maker?.person);
      const place = opening && this.#table.locate(session.id);
      if (place) this.#audit.add(session.id, place, opening);
    });
  }

  async get(sessionId: SessionId): Promise<SessionRecord | undefined> {
    return lookUp(() => this.#table.get(sessionId));
  }

  async *unfinished(): AsyncIterable<readonly SessionRecord[]> {
    const keys = lookUp(() => this.#table.unfinishedKeys());
    for (let from = 0; from < keys.length; from += chunkRows) {
      yield lookUp(() => this.#table.listByKeys(keys.slice(from, from + chunkRows)));
      await nextTurn(); // the event loop is not blocked for long
    }
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

  remove(sessionId: SessionId, deletion: AuditDeletion, { authority, seq }: Removal = {}): Promise<void> {
    return this.#queue.write(() => {
      this.#credentials.require(authority);
      const place = this.#table.locate(sessionId);
      if (!place) return;
      if (seq !== undefined && seq !== place.seq) throw new StoreError('conflict', 'The session has grown.');
      this.#audit.add(sessionId, place, deletion);
      for (const id of this.#table.remove(sessionId)) this.#audit.addPower(grantRevoked(id, 'session_deleted'));
    });
  }
}
