import type { SessionId } from '../basics/id.ts';
import type { AuditRow } from '../log/audit.ts';

export interface AuditStore {
  /** A session's rows in order, including those of a deleted session. */
  read(sessionId: SessionId): Promise<readonly AuditRow[]>;
}
