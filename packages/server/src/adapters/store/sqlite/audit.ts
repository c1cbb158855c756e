import {
  type AuditAccess,
  type AuditEntry,
  type AuditRow,
  type AuditStore,
  type SessionId,
  serverChain,
} from '@parleyhq/core';
import { chain, chainStart, type Link } from '@parleyhq/store-kit';
import { type Database, lookUp, type Statement } from './database.ts';
import type { LogEnd } from './session-table.ts';

/** The audit, chained per session (SEC7). */
export class Audit implements AuditStore {
  readonly #last: Statement<Link>;
  readonly #insert: Statement;
  readonly #read: Statement<AuditRow>;

  constructor(db: Database) {
    this.#last = db.prepare('select n, hash from audit where session_id = ? order by n desc limit 1');
    this.#insert = db.prepare('insert into audit (session_id, n, text, hash) values (?, ?, ?, ?)');
    this.#read = db.prepare('select n, text, hash from audit where session_id = ? order by n');
  }

  /** Adds a row to a session's chain. Call within a write. The chain's end is cached in `place`, which a rollback drops. */
  add(sessionId: SessionId, place: LogEnd, entry: AuditEntry): void {
    const row = chain(sessionId, place.audited ?? this.#last.get(sessionId) ?? chainStart, entry);
    this.#insert.run(sessionId, row.n, row.text, row.hash);
    place.audited = row;
  }

  /** Adds a row to the chain of the whole server. Call within a write; the previous row may be from another process. */
  addPower(entry: AuditAccess): void {
    const row = chain(serverChain, this.#last.get(serverChain) ?? chainStart, entry);
    this.#insert.run(serverChain, row.n, row.text, row.hash);
  }

  async read(sessionId: SessionId): Promise<readonly AuditRow[]> {
    return lookUp(() => this.#read.all(sessionId));
  }
}
