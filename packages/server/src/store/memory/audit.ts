import {
  type AuditEntry,
  type AuditPower,
  type AuditRow,
  type AuditStore,
  type SessionId,
  serverChain,
} from '@parleyhq/core';
import { chain, chainStart } from '../audit-chain.ts';

/** The audit in memory, chained per session (SEC7). */
export class MemoryAudit implements AuditStore {
  readonly #rows = new Map<SessionId, readonly AuditRow[]>();

  /** Call within a write. */
  add(sessionId: SessionId, entry: AuditEntry): void {
    const rows = this.#rows.get(sessionId) ?? [];
    this.#rows.set(sessionId, [...rows, chain(sessionId, rows.at(-1) ?? chainStart, entry)]);
  }

  /** A row of the whole server. Call within a write. */
  addPower(entry: AuditPower): void {
    this.add(serverChain, entry);
  }

  async read(sessionId: SessionId): Promise<readonly AuditRow[]> {
    return this.#rows.get(sessionId) ?? [];
  }
}
