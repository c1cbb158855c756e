import type { AgentPart, TurnInput } from './agent.ts';
import type { AuditClaim, AuditDeletion } from './audit.ts';
import type { CloseCode } from './close-code.ts';
import type { Head } from './head.ts';
import type { ConnectionId, Epoch, Instant, InteractionId, ResponseId, Seq, SessionId, ToolCallId } from './id.ts';
import type { Actor, ApprovalScope, Subject } from './interaction.ts';
import type { Json } from './json.ts';
import type { Tool } from './plugin.ts';
import type { Principal } from './role.ts';
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
  /** The head at the last of these events, where it changed what is open; a cache that may be dropped at any time. */
  readonly head?: Head;
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

/** A stored entry of the audit; each hash covers the text and the hash before it. */
export interface AuditRow {
  readonly n: number;
  /** An AuditEntry with its session and number, as JSON. */
  readonly text: string;
  readonly hash: string;
}

export interface AuditStore {
  /** A session's rows in their order, also of one that is gone. */
  read(sessionId: SessionId): Promise<readonly AuditRow[]>;
}

/** What finds single facts of a log without reading it. */
export interface EventIndex {
  /** The text of the event with this key: see `keyOf`. */
  find(sessionId: SessionId, key: string): Promise<string | undefined>;
  /** The journal of a call, or of a message. */
  records(sessionId: SessionId, toolCallId: ToolCallId | ResponseId): Promise<readonly JournalRecord[]>;
}

/** A stored approval (APR1). */
export interface Grant {
  readonly id: string;
  readonly plugin: string;
  /** Canonical: see `canonicalise`. */
  readonly key: string;
  readonly scope: ApprovalScope;
  readonly sessionId: SessionId | undefined;
  readonly createdAt: string;
  readonly uses: number;
  /** After this it allows nothing, and is listed no more. */
  readonly expiresAt?: string;
  /** Who consented; absent where a plugin set it by itself. */
  readonly by?: Actor;
  /** The prompt that it was the answer to. */
  readonly interactionId?: InteractionId;
  readonly toolName?: string;
  /** What was shown. */
  readonly title?: string;
  readonly subject?: Subject;
  readonly digest?: string;
}

/** What a grant would have to cover. */
export interface GrantWish {
  readonly plugin: string;
  readonly key: string;
  readonly sessionId: SessionId;
}

/**
 * Where a call notes what it did with a grant: a record of the same commit, its value the grant's scope. A call that is
 * entered again does not do it twice.
 */
export interface GrantNote {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly key: string;
}

/** Which grants: those that hold in a session, all that cover a key there, the newest of them. All, if nothing is said. */
export interface GrantFilter extends Partial<GrantWish> {
  readonly limit?: number;
}

export interface GrantStore {
  put(grant: Grant, note?: GrantNote): Promise<void>;
  /** The grant that covers the key here: the session's own first, then `always`. A `once` grant is consumed by `take`. */
  take(wish: GrantWish, now: Instant, note?: GrantNote): Promise<Grant | undefined>;
  /** Oldest first, those that have not expired. With `plugin` and `key` it is found, not searched for. */
  list(now: Instant, filter?: GrantFilter): Promise<readonly Grant[]>;
  /** By id, or all of a plugin's in a session. How many went. */
  revoke(which: { id: string } | { plugin: string; sessionId: SessionId }): Promise<number>;
}

/** Small values of plugins: `ctx.state` per session, `host.state` for the whole server (session undefined). */
export interface PluginStateStore {
  get(plugin: string, sessionId: SessionId | undefined, key: string): Promise<Json | undefined>;
  set(plugin: string, sessionId: SessionId | undefined, key: string, value: Json | undefined): Promise<void>;
}

/** A token beside the one that the server was started with: its holder is this principal (SEC4). */
export interface AccessToken extends Principal {
  readonly createdAt: string;
  readonly expiresAt?: string;
}

/** Tokens by their hashes. Another process may add and remove some at any time. */
export interface TokenStore {
  add(hash: string, token: AccessToken): Promise<void>;
  /** Undefined for one that is not there, or has expired. */
  find(which: { hash: string } | { id: string }, now: Instant): Promise<AccessToken | undefined>;
  /** Oldest first, with those that have expired. */
  list(): Promise<readonly AccessToken[]>;
  /** Whether it was there. Log-ins that were made with it open nothing any more. */
  remove(id: string): Promise<boolean>;
}

/** A browser's log-in. */
export interface Login {
  readonly expiresAt: string;
  /** The token that it was made with; undefined: the server's own. */
  readonly tokenId?: string;
}

/** Log-ins of browsers, hashed: a cookie outlives a restart. */
export interface LoginStore {
  add(hash: string, login: Login): Promise<void>;
  /** Undefined for one that is not there, or has expired. */
  find(hash: string, now: Instant): Promise<Login | undefined>;
  remove(hash: string): Promise<void>;
}

/** All that one database serves. */
export interface Store {
  readonly epoch: Epoch;
  /** The database lies behind what was told of it, restored or damaged: it got a new epoch, and clients start over (RPL2). */
  readonly isRewound: boolean;
  readonly events: EventStore;
  readonly sessions: SessionStore;
  readonly index: EventIndex;
  readonly grants: GrantStore;
  readonly pluginState: PluginStateStore;
  readonly logins: LoginStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
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

/** Frames that leave together, made once for all who get them. */
export interface FrameBatch {
  /** Each is one frame. */
  readonly texts: readonly string[];
  /** The transport's own form of the batch: the first connection that needs it makes it, the others share it. */
  encoded?: Uint8Array;
}

/** One live link to a client. */
export interface Connection {
  readonly id: ConnectionId;
  /** Never blocks and never throws; what is sent in one tick leaves in one write. */
  send(batch: FrameBatch): void;
  /** Resolves when the link can take more, or is closed: catch-up waits for its reader (FRM5). */
  drained(): Promise<void>;
  close(code: CloseCode, reason?: string): void;
}

/** Writes one assistant message from the log and ends; the loop is the turn runner's, so resuming is no second path (AGT2). */
export interface Agent {
  readonly name: string;
  readonly description?: string;
  /**
   * Tools of its own: only its calls reach them, nobody else is offered them, and before a plugin's of the same name they
   * are meant. They are tools like any other, so that what an agent lets another program do is asked for, stored and
   * taken up again by Parley. Only a plugin's agents may have them.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tools of one agent differ in their arguments
  readonly tools?: readonly Tool<any>[];
  run(turn: TurnInput, signal: AbortSignal): AsyncIterable<AgentPart>;
}
