import type { Seq, SessionId } from '../basics/id.ts';
import type { AuditChange, AuditDeletion } from '../log/audit.ts';
import type { Head } from '../log/head.ts';
import type { Session } from '../log/session.ts';
import type { Authority } from '../prompt/token.ts';

/** A session's row with its cached head, if there is one. */
export interface SessionRecord {
  readonly session: Session;
  readonly head: Head | undefined;
}

/** Details of a session's creation. */
export interface Creation {
  /** First entry of the session's audit. */
  readonly opening?: AuditChange | undefined;
  /** Credential of the requester. */
  readonly authority?: Authority | undefined;
  readonly maker?: SessionOwner | undefined;
}

/** The person who owns the new session. */
export interface SessionOwner {
  readonly person: string;
  /** Maximum number of this person's sessions, including the new one; beyond it StoreError `quota` (SEC11). */
  readonly most?: number | undefined;
}

/** Details of a session's deletion. */
export interface Removal {
  /** Credential of the requester. */
  readonly authority?: Authority | undefined;
  /** End of the log on which the deletion was decided; anything newer prevents it. */
  readonly seq?: Seq | undefined;
}

/** Rows of sessions. Writes with an authority fail with StoreError `unauthorised` once that has ended (SEC9). */
export interface SessionStore {
  create(session: Session, creation?: Creation): Promise<void>;
  get(sessionId: SessionId): Promise<SessionRecord | undefined>;
  /** Reads the sessions with a running turn or an open prompt in parts, however many there are. */
  unfinished(): AsyncIterable<readonly SessionRecord[]>;
  /** Returns sessions newest first by `updatedAt`, then by id. */
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>;
  /**
   * Deletes the session with its events, records and session grants. The audit stays and ends with `deletion`.
   * @throws StoreError `conflict` if its log does not end at the removal's `seq`
   */
  remove(sessionId: SessionId, deletion: AuditDeletion, removal?: Removal): Promise<void>;
}

/** Unarchived sessions, archived ones, and pinned unarchived ones. */
export type SessionKind = 'current' | 'archived' | 'pinned';

export interface SessionFilter {
  /** Only sessions whose `updatedAt` is earlier. */
  readonly before?: string | undefined;
  /**
   * Id of the last session of the previous page: among sessions updated at `before`, lower ids follow, so none is skipped or
   * repeated.
   */
  readonly beforeId?: SessionId | undefined;
  /** Part of the title, case-insensitive. */
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly only?: SessionKind | undefined;
  /** Only sessions with these ids. */
  readonly ids?: readonly SessionId[] | undefined;
}

/**
 * Heads cached next to the rows of their sessions, to load a session without folding its whole log. A head may be missing or
 * outdated.
 */
export interface HeadCache {
  /** Does nothing if the stored log does not end at `head.seq`. @throws StoreError `full`, `busy` or `failed` */
  save(sessionId: SessionId, head: Head): Promise<void>;
}
