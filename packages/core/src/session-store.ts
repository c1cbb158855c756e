import type { AuditDeletion } from './audit.ts';
import type { Head } from './head.ts';
import type { SessionId } from './id.ts';
import type { Session } from './session.ts';

/** A session's row with its cached head, if there is one. */
export interface SessionRecord {
  readonly session: Session;
  readonly head: Head | undefined;
}

/** Sessions' rows. */
export interface SessionStore {
  create(session: Session): Promise<void>;
  get(sessionId: SessionId): Promise<SessionRecord | undefined>;
  /** Newest first by `updatedAt`; `before` is an `updatedAt`, `query` a part of the title, `unfinished` those with a turn or an open prompt. */
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>;
  /** Events, records and session grants go with it; the audit stays, and ends with `deletion`. */
  remove(sessionId: SessionId, deletion: AuditDeletion): Promise<void>;
}

export interface SessionFilter {
  readonly before?: string | undefined;
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly unfinished?: boolean;
  /** No others than these. */
  readonly ids?: readonly SessionId[] | undefined;
}

/** Heads beside their sessions' rows, so that a session is loaded without folding its whole log. Any may be missing or lag. */
export interface HeadCache {
  /** Keeps a session's head. Does nothing where the stored log does not end at `head.seq`. @throws StoreError `full`, `busy` or `failed` */
  save(sessionId: SessionId, head: Head): Promise<void>;
}
