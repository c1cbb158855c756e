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

/** How a session comes to be. */
export interface Creation {
  /** What its audit begins with. */
  readonly opening?: AuditChange | undefined;
  /** Who asked for it. */
  readonly authority?: Authority | undefined;
  readonly maker?: Maker | undefined;
}

/** Whose session it is. */
export interface Maker {
  readonly person: string;
  /** How many there may be of this person's, with the new one: beyond it is a StoreError `quota` (SEC11). */
  readonly most?: number | undefined;
}

/** How a session goes. */
export interface Removal {
  /** Who asked for it. */
  readonly authority?: Authority | undefined;
  /** The end of the log that it was decided on: nothing goes that came later. */
  readonly seq?: Seq | undefined;
}

/** Sessions' rows. With an authority nothing is stored or deleted once that has ended: then it is a StoreError `unauthorised` (SEC9). */
export interface SessionStore {
  create(session: Session, creation?: Creation): Promise<void>;
  get(sessionId: SessionId): Promise<SessionRecord | undefined>;
  /** Newest first by `updatedAt`, and by id where that is equal. */
  list(filter: SessionFilter): Promise<readonly SessionRecord[]>;
  /**
   * Deletes its events, records and session grants too. The audit stays and ends with `deletion`.
   * @throws StoreError `conflict` where its log does not end where the removal says
   */
  remove(sessionId: SessionId, deletion: AuditDeletion, removal?: Removal): Promise<void>;
}

/** Those with a running turn or an open prompt, those not put away, those put away, and of those not put away the pinned. */
export type SessionKind = 'unfinished' | 'current' | 'archived' | 'pinned';

export interface SessionFilter {
  /** An `updatedAt`: only sessions last changed before it. */
  readonly before?: string | undefined;
  /** Where a page ended among sessions of the time `before`: those with lower ids follow, so that none is skipped or repeated. */
  readonly beforeId?: SessionId | undefined;
  /** Part of the title, in any case. */
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly only?: SessionKind | undefined;
  /** Only these. */
  readonly ids?: readonly SessionId[] | undefined;
}

/** Heads cached beside their sessions' rows, to load a session without folding its whole log. A head may be missing or outdated. */
export interface HeadCache {
  /** Does nothing if the stored log does not end at `head.seq`. @throws StoreError `full`, `busy` or `failed` */
  save(sessionId: SessionId, head: Head): Promise<void>;
}
