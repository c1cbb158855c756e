import type { AuditClaim } from './audit.ts';
import type { Grant } from './grant.ts';
import type { ResponseId, Seq, SessionId, ToolCallId } from './id.ts';
import type { Json } from './json.ts';
import type { Session } from './session.ts';

/** An event as it is stored and sent: its text is made once, however many tabs listen. */
export interface StoredEvent {
  readonly seq: Seq;
  /** Unique in its session where it is set: see `keyOf`. */
  readonly key: string | undefined;
  /** The wire text: one ChatEvent as JSON. */
  readonly text: string;
}

/**
 * A private journal entry of a tool call, dropped with its `tool_result`. A second entry under a key replaces the first.
 * What an agent keeps with a message stands under the message's `responseId`, and stays as long as its session.
 */
export interface JournalRecord {
  readonly toolCallId: ToolCallId | ResponseId;
  readonly key: string;
  readonly value: Json;
}

/** One atomic change of one session. */
export interface Append {
  readonly sessionId: SessionId;
  /** The seq of the last event before these; another one in the store is a conflict. */
  readonly expectedSeq: Seq;
  readonly events: readonly StoredEvent[];
  readonly records?: readonly JournalRecord[];
  /** Calls that end here: their records go. */
  readonly endedCalls?: readonly ToolCallId[];
  /** Consent that one of these events gives: both stand, or neither (APR2). */
  readonly grants?: readonly Grant[];
  /** Grants that these events rest on, by id: each is used once more. */
  readonly usedGrants?: readonly string[];
  /** The session's row as these events leave it. */
  readonly session: Session;
  /** What the audit keeps of these events, chained to what it has of this session (SEC7). */
  readonly audit?: readonly AuditClaim[];
}

/** The log. Implementations pass `testEventStore` of `@parleyhq/server/testing`. */
export interface EventStore {
  /**
   * Durable and atomic once it resolves; appends of one tick share a transaction.
   * @throws StoreError `conflict` (this append's own verdict, not its group's), `full`, `busy` or `failed`
   */
  append(change: Append): Promise<void>;
  /** Stored texts after `afterSeq`, in order, in chunks: replay never parses. */
  read(sessionId: SessionId, afterSeq: Seq, limit?: number): AsyncIterable<readonly string[]>;
  /** What other nodes appended. Returns how to stop. */
  watch(listener: (sessionId: SessionId, seq: Seq) => void): () => void;
  close(): Promise<void>;
}

/** What finds single facts of a log without reading it. */
export interface EventIndex {
  /** The text of the event with this key: see `keyOf`. */
  find(sessionId: SessionId, key: string): Promise<string | undefined>;
  /** The journal of a call, or of a message. */
  records(sessionId: SessionId, toolCallId: ToolCallId | ResponseId): Promise<readonly JournalRecord[]>;
}

export type StoreErrorCode = 'conflict' | 'full' | 'busy' | 'failed';

/** Why nothing of an append was stored. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
