import type {
  Append,
  AuditDeletion,
  Authority,
  Channel,
  Creation,
  EventIndex,
  EventStore,
  GrantNote,
  Head,
  HeadCache,
  JournalRecord,
  Json,
  Removal,
  Seq,
  Session,
  SessionFilter,
  SessionId,
  SessionKind,
  SessionRecord,
  SessionStore,
  ToolCallId,
} from '@parleyhq/core';
import { foldText, StoreError } from '@parleyhq/core';
import {
  assertGapless,
  refuseChannel,
  refuseKey,
  refuseSeq,
  refuseUnknown,
  requireGrants,
  requireNewCall,
  requireOpenCall,
  requireRoom,
  requireValid,
  requireVoters,
  type Standing,
} from '../append.ts';
import type { CommitQueue } from '../commit-queue.ts';
import type { MemoryAudit } from './audit.ts';
import type { MemoryOutside } from './outside.ts';
import type { MemoryGrants } from './values.ts';

/** Values are kept as text, as in a database, so that nobody holds a reference into the store. */
interface StoredSession {
  session: Session;
  head: string | undefined;
  readonly maker: string | undefined;
  readonly texts: string[];
  readonly byKey: Map<string, string>;
  readonly records: Map<ToolCallId, Map<string, string>>;
}

export type StoredSessions = Map<SessionId, StoredSession>;

const chunkRows = 256;

/** The log, its keys and the journals of its calls, in memory. */
export class MemoryLog implements EventStore, EventIndex {
  readonly #entries: StoredSessions;
  readonly #queue: CommitQueue;
  readonly #grants: MemoryGrants;
  readonly #audit: MemoryAudit;
  readonly #outside: MemoryOutside;
  readonly #standingOf: (authority: Authority) => Standing;
  readonly #hasToken: (id: string) => boolean;

  constructor(
    entries: StoredSessions,
    queue: CommitQueue,
    beside: {
      grants: MemoryGrants;
      audit: MemoryAudit;
      outside: MemoryOutside;
      standingOf: (authority: Authority) => Standing;
      hasToken: (id: string) => boolean;
    },
  ) {
    this.#entries = entries;
    this.#queue = queue;
    this.#grants = beside.grants;
    this.#audit = beside.audit;
    this.#outside = beside.outside;
    this.#standingOf = beside.standingOf;
    this.#hasToken = beside.hasToken;
  }

  async append(change: Append): Promise<void> {
    assertGapless(change);
    const records = change.records?.map(({ value, ...place }) => ({ ...place, text: JSON.stringify(value) ?? 'null' }));
    return this.#queue.write(() => {
      const entry = this.#check(change);
      for (const { key, text } of change.events) {
        entry.texts.push(text);
        if (key !== undefined) entry.byKey.set(key, text);
      }
      for (const { toolCallId, key, text } of records ?? []) recordsOf(entry, toolCallId).set(key, text);
      for (const toolCallId of change.endedCalls ?? []) entry.records.delete(toolCallId);
      for (const grant of change.grants ?? []) this.#grants.store(grant);
      for (const id of change.usedGrants?.ids ?? []) this.#grants.count(id);
      for (const claim of change.audit ?? []) this.#audit.add(change.sessionId, claim);
      if (change.outsideCall) this.#outside.add(change.sessionId, change.outsideCall);
      const { id, createdAt } = entry.session;
      entry.session = { ...change.session, id, createdAt, seq: entry.texts.length };
    });
  }

  async *read(sessionId: SessionId, afterSeq: Seq, limit = Number.POSITIVE_INFINITY): AsyncIterable<readonly string[]> {
    for (let seq = afterSeq, left = limit; left > 0; ) {
      const wanted = Math.min(left, chunkRows);
      const texts = this.#entries.get(sessionId)?.texts.slice(seq, seq + wanted) ?? [];
      if (texts.length > 0) yield texts;
      if (texts.length < wanted) return;
      seq += texts.length;
      left -= texts.length;
    }
  }

  /** Call within a write. */
  note({ sessionId, toolCallId, key }: GrantNote, value: Json): void {
    const entry = this.#entries.get(sessionId);
    if (entry) recordsOf(entry, toolCallId).set(key, JSON.stringify(value));
  }

  /** Call within a write. @throws StoreError `conflict` where the call is over */
  requireOpen(note: GrantNote): void {
    requireOpenCall(note, (key) => this.#entries.get(note.sessionId)?.byKey.has(key) ?? false);
  }

  async find(sessionId: SessionId, ...keys: readonly string[]): Promise<readonly string[]> {
    const { texts = [], byKey } = this.#entries.get(sessionId) ?? {};
    const found = new Set(keys.flatMap((key) => byKey?.get(key) ?? []));
    return keys.length === 1 ? [...found] : texts.filter((text) => found.has(text));
  }

  async records(sessionId: SessionId, toolCallId: ToolCallId): Promise<readonly JournalRecord[]> {
    const records = this.#entries.get(sessionId)?.records.get(toolCallId) ?? [];
    return [...records].map(([key, text]) => ({ toolCallId, key, value: JSON.parse(text) as Json }));
  }

  /** Everything that can be refused is checked before the first change. */
  #check(change: Append): StoredSession {
    const entry = this.#entries.get(change.sessionId);
    if (!entry) throw refuseUnknown(change);
    requireValid(change.authority, this.#standingOf);
    if (entry.texts.length !== change.expectedSeq) throw refuseSeq(change, entry.texts.length);
    requireGrants(change.usedGrants, (id, now) => this.#grants.holds(id, now));
    requireVoters(change.voters, this.#hasToken);
    requireNewCall(change.outsideCall, (key) => this.#outside.has(key));
    const taken = new Set<string>();
    for (const { key } of change.events) {
      if (key === undefined) continue;
      if (entry.byKey.has(key) || taken.has(key)) throw refuseKey(change, key);
      taken.add(key);
    }
    return entry;
  }
}

/** Sessions' rows and their cached heads, in memory. */
export class MemorySessions implements SessionStore, HeadCache {
  readonly #entries: StoredSessions;
  readonly #queue: CommitQueue;
  readonly #audit: MemoryAudit;
  readonly #standingOf: (authority: Authority) => Standing;
  readonly #onRemove: (sessionId: SessionId) => void;

  constructor(
    entries: StoredSessions,
    queue: CommitQueue,
    beside: {
      audit: MemoryAudit;
      standingOf: (authority: Authority) => Standing;
      onRemove: (sessionId: SessionId) => void;
    },
  ) {
    this.#entries = entries;
    this.#queue = queue;
    this.#audit = beside.audit;
    this.#standingOf = beside.standingOf;
    this.#onRemove = beside.onRemove;
  }

  create(session: Session, { opening, authority, maker }: Creation = {}): Promise<void> {
    return this.#queue.write(() => {
      requireValid(authority, this.#standingOf);
      if (maker) requireRoom(maker, (person) => this.#countOf(person));
      const { channel } = session;
      if (channel && this.#hasChannel(channel)) throw refuseChannel(channel);
      if (this.#entries.has(session.id)) throw new StoreError('conflict', `There is a session ${session.id} already.`);
      const row = { ...session, seq: 0 };
      const empty = { head: undefined, texts: [], byKey: new Map(), records: new Map() };
      this.#entries.set(session.id, { session: row, maker: maker?.person, ...empty });
      if (opening) this.#audit.add(session.id, opening);
    });
  }

  async get(sessionId: SessionId): Promise<SessionRecord | undefined> {
    const entry = this.#entries.get(sessionId);
    return entry && toRecord(entry);
  }

  async list({
    before,
    beforeId = '',
    query = '',
    limit,
    only,
    ids,
  }: SessionFilter): Promise<readonly SessionRecord[]> {
    return [...this.#entries.values()]
      .filter(({ session }) => ids === undefined || ids.includes(session.id))
      .filter(({ session }) => before === undefined || isOlder(session, before, beforeId))
      .filter(({ session }) => foldText(session.title).includes(foldText(query)))
      .filter(({ session }) => only === undefined || isOfKind[only](session))
      .sort((a, b) => compare(b.session.updatedAt, a.session.updatedAt) || compare(b.session.id, a.session.id))
      .slice(0, limit)
      .map(toRecord);
  }

  async save(sessionId: SessionId, head: Head): Promise<void> {
    const text = JSON.stringify(head);
    return this.#queue.write(() => {
      const entry = this.#entries.get(sessionId);
      if (entry?.session.seq === head.seq) entry.head = text;
    });
  }

  remove(sessionId: SessionId, deletion: AuditDeletion, { authority, seq }: Removal = {}): Promise<void> {
    return this.#queue.write(() => {
      requireValid(authority, this.#standingOf);
      const entry = this.#entries.get(sessionId);
      if (!entry) return;
      if (seq !== undefined && seq !== entry.session.seq) throw new StoreError('conflict', 'The session has grown.');
      this.#entries.delete(sessionId);
      this.#audit.add(sessionId, deletion);
      this.#onRemove(sessionId);
    });
  }

  #hasChannel({ principal, name }: Channel): boolean {
    const channels = [...this.#entries.values()].map(({ session }) => session.channel);
    return channels.some((channel) => channel?.principal === principal && channel.name === name);
  }

  #countOf(person: string): number {
    return [...this.#entries.values()].filter(({ maker }) => maker === person).length;
  }
}

function recordsOf(entry: StoredSession, toolCallId: ToolCallId): Map<string, string> {
  const records = entry.records.get(toolCallId) ?? new Map<string, string>();
  entry.records.set(toolCallId, records);
  return records;
}

function toRecord({ session, head }: StoredSession): SessionRecord {
  return { session, head: head === undefined ? undefined : (JSON.parse(head) as Head) };
}

const isOfKind: { readonly [Kind in SessionKind]: (session: Session) => boolean } = {
  unfinished: ({ status, openCount }) => status !== 'idle' || openCount > 0,
  current: ({ archived }) => !archived,
  archived: ({ archived }) => archived === true,
  pinned: ({ pinned, archived }) => pinned === true && !archived,
};

function isOlder({ id, updatedAt }: Session, before: string, beforeId: string): boolean {
  return updatedAt < before || (updatedAt === before && id < beforeId);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
