import type { Instant, ResponseId, Seq, SessionId, ToolCallId } from '../basics/id.ts';
import type { Json } from '../basics/json.ts';
import type { AuditEntry } from '../log/audit.ts';
import type { CallKey } from '../log/outside.ts';
import type { Session } from '../log/session.ts';
import type { Voter } from '../log/vote.ts';
import type { Grant } from '../prompt/grant.ts';
import type { Authority } from '../prompt/token.ts';
import type { PasskeyUse } from './passkey-store.ts';

/** An event as it is stored and sent: serialised once, however many tabs receive it. */
export interface StoredEvent {
  readonly seq: Seq;
  /** Unique in its session if set: see `keyOf`. */
  readonly key: string | undefined;
  /** The wire text: one ChatEvent as JSON. */
  readonly text: string;
}

/**
 * A private journal entry of a tool call, deleted with its `tool_result`. A second entry under a key replaces the first.
 * An agent's entries for a message are stored under the message's `responseId` and last as long as the session.
 */
export interface JournalRecord {
  readonly toolCallId: ToolCallId | ResponseId;
  readonly key: string;
  readonly value: Json;
}

/** Ids of grants, one per use, and the time at which they must be unexpired. */
export interface UsedGrants {
  readonly ids: readonly string[];
  readonly now: Instant;
}

/** One atomic change of one session. */
export interface Append {
  readonly sessionId: SessionId;
  /** The seq of the last event before these. If the store's differs, the append is a conflict. */
  readonly expectedSeq: Seq;
  /**
   * The same object in appends that build on one another. Once one has failed, the later ones are conflicts: their
   * `expectedSeq` could match by chance if somebody else appended in its place.
   */
  readonly lineage?: object;
  readonly events: readonly StoredEvent[];
  readonly records?: readonly JournalRecord[];
  /** Calls that end here; their records are deleted. */
  readonly endedCalls?: readonly ToolCallId[];
  /** Grants that these events create, stored atomically with them (APR2). */
  readonly grants?: readonly Grant[];
  /** Grants that these events rely on: each must still be valid, and its use count grows by one (APR4). */
  readonly usedGrants?: UsedGrants;
  /** The session's row after these events. */
  readonly session: Session;
  /** The votes that these events rely on: the token of none may have been revoked since, even if its id is used again (TEAM3). */
  readonly voters?: readonly Voter[];
  /** Audit entries for these events, appended to the session's chain (SEC7). */
  readonly audit?: readonly AuditEntry[];
  /** The caller's key of the outside call that these events begin; an existing key is a conflict (ASK1). */
  readonly outsideCall?: (CallKey & { readonly toolCallId: ToolCallId }) | undefined;
  /** Credential of the requester, checked in the same transaction: an ended token or login stores nothing (SEC9). */
  readonly authority?: Authority | undefined;
  /** The passkey that signed the answer: the person must still have it, and its counter moves on (SIGN2). */
  readonly passkey?: PasskeyUse | undefined;
}

/** The log. Implementations pass `testEventStore` of `@parleyhq/store-kit/testing`. */
export interface EventStore {
  /**
   * Stores a change; durable and atomic once it resolves. Appends of one tick share a transaction.
   * @throws StoreError `conflict`, `unauthorised`, `login_again`, `grant_gone`, `voter_gone` or `passkey_gone` (for this append
   * alone, not for its batch), `full`, `busy` or `failed`
   */
  append(change: Append): Promise<void>;
  /** Yields stored texts after `afterSeq`, in order and in chunks. Replay sends them unparsed. */
  read(sessionId: SessionId, afterSeq: Seq, limit?: number): AsyncIterable<readonly string[]>;
}

/** Finds single entries of a log without reading all of it. */
export interface EventIndex {
  /** Returns the texts of the events with these keys (see `keyOf`), in the order of the log; unknown keys are skipped. */
  find(sessionId: SessionId, ...keys: readonly string[]): Promise<readonly string[]>;
  /** Returns the journal of a call, or of a message. */
  records(sessionId: SessionId, toolCallId: ToolCallId | ResponseId): Promise<readonly JournalRecord[]>;
}

export type StoreErrorCode =
  | 'conflict'
  | 'unauthorised'
  | 'login_again'
  | 'grant_gone'
  | 'voter_gone'
  | 'passkey_gone'
  | 'quota'
  | 'full'
  | 'busy'
  | 'failed';

/** The reason why nothing of a write was stored. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
