import type { AuditEntry, AuditRow, AuditStore, SessionId } from '@parleyhq/core';
import { chain, chainStart } from '../audit-chain.ts';

/** The audit in memory, chained per session (SEC7). */
export class MemoryAudit implements AuditStore {
  readonly #rows = new Map<SessionId, readonly AuditRow[]>();

  /** Call within a write. */
  add(sessionId: SessionId, entry: AuditEntry): void {
    const rows = this.#rows.get(sessionId) ?? [];
    this.#rows.set(sessionId, [...rows, chain(sessionId, rows.at(-1) ?? chainStart, entry)]);
  }

  async read(sessionId: SessionId): Promise<readonly AuditRow[]> {
    return this.#rows.get(sessionId) ?? [];
  }
}
