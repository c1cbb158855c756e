import type { Instant, ResponseId, Seq, SessionId, ToolCallId } from '../basics/id.ts';
import type { Json } from '../basics/json.ts';
import type { AuditEntry } from '../log/audit.ts';
import type { CallKey } from '../log/outside.ts';
import type { Session } from '../log/session.ts';
import type { Grant } from '../prompt/grant.ts';
import type { Authority } from '../prompt/token.ts';

/** An event as stored and sent. It is serialised once, no matter how many tabs listen. */
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

/** Ids of grants, one for each use, and the time at which they must not have expired. */
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
   * The same object in appends that were decided one on the other. Once one of them has failed the later ones are conflicts:
   * where other nodes write, too, their `expectedSeq` may be right by chance (OPS4).
   */
  readonly lineage?: object;
  readonly events: readonly StoredEvent[];
  readonly records?: readonly JournalRecord[];
  /** Calls that end here; their records are deleted. */
  readonly endedCalls?: readonly ToolCallId[];
  /** Grants that these events give, stored atomically with them (APR2). */
  readonly grants?: readonly Grant[];
  /** Grants that these events rest on: each must still hold, and counts one more use (APR4). */
  readonly usedGrants?: UsedGrants;
  /** The session's row after these events. */
  readonly session: Session;
  /** Tokens of those whose votes these events rest on: none of them was revoked (TEAM3). */
  readonly voters?: readonly string[];
  /** Audit entries for these events, appended to the session's chain (SEC7). */
  readonly audit?: readonly AuditEntry[];
  /** The caller's key of the outside call that these events begin; one that is there already is a conflict (ASK1). */
  readonly outsideCall?: CallKey & { readonly toolCallId: ToolCallId };
  /** Who asked for it. Checked in the same transaction: nothing is stored for a token or login that has ended (SEC9). */
  readonly authority?: Authority;
}

/** The log. Implementations pass `testEventStore` of `@parleyhq/server/testing`. */
export interface EventStore {
  /**
   * Durable and atomic once it resolves; appends of one tick share a transaction.
   * @throws StoreError `conflict`, `unauthorised`, `login_again`, `grant_gone` or `voter_gone` (for this append alone, not its group), `full`, `busy` or `failed`
   */
  append(change: Append): Promise<void>;
  /** Stored texts after `afterSeq`, in order and in chunks. Replay sends them without parsing. */
  read(sessionId: SessionId, afterSeq: Seq, limit?: number): AsyncIterable<readonly string[]>;
}

/** Finds single entries of a log without reading all of it. */
export interface EventIndex {
  /** The texts of the events with these keys (see `keyOf`), in the order of the log; a key that is not there has none. */
  find(sessionId: SessionId, ...keys: readonly string[]): Promise<readonly string[]>;
  /** The journal of a call, or of a message. */
  records(sessionId: SessionId, toolCallId: ToolCallId | ResponseId): Promise<readonly JournalRecord[]>;
}

export type StoreErrorCode =
  | 'conflict'
  | 'unauthorised'
  | 'login_again'
  | 'grant_gone'
  | 'voter_gone'
  | 'quota'
  | 'full'
  | 'busy'
  | 'failed';

/** Why nothing of an append was stored. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
