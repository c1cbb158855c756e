import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Append, EventIndex, EventStore, JournalRecord, Seq, SessionId, ToolCallId } from '@parleyhq/core';
import {
  assertGapless,
  type CommitQueue,
  refuseKey,
  refuseSeq,
  refuseUnknown,
  requireGrants,
  requireNewCall,
  requireVoters,
} from '@parleyhq/store-kit';
import type { Audit } from './audit.ts';
import { type Database, isUniqueViolation, lookUp, pluck, type Statement } from './database.ts';
import type { EpochMark } from './epoch-mark.ts';
import type { Grants } from './grants.ts';
import type { Outside } from './outside.ts';
import type { PasskeyRows } from './passkeys.ts';
import type { Records } from './records.ts';
import type { LogEnd, SessionTable } from './session-table.ts';
import type { Credentials } from './tokens-and-logins.ts';

/** Rows per read. Few enough not to block the event loop; no statement stays open between chunks. */
const chunkRows = 256;

interface RecordText {
  readonly toolCallId: ToolCallId;
  readonly key: string;
  readonly text: string;
}

/** The plus sign keeps SQLite from using the index on seq, with which a look-up of two keys would scan the whole session. */
export const findByKeys =
  'select text from events where session = ? and key in (select value from json_each(?)) order by +seq';

/** The log of events, their keys and the journals of calls. */
export class EventLog implements EventStore, EventIndex {
  readonly #queue: CommitQueue;
  readonly #sessions: SessionTable;
  readonly #mark: EpochMark;
  readonly #audit: Audit;
  readonly #insert: Statement;
  readonly #undo: Statement;
  readonly #read: Statement<string>;
  readonly #find: Statement<string>;
  readonly #records: Records;
  readonly #grants: Grants;
  readonly #credentials: Credentials;
  readonly #outside: Outside;
  readonly #passkeys: PasskeyRows;

  constructor(
    db: Database,
    parts: {
      queue: CommitQueue;
      table: SessionTable;
      mark: EpochMark;
      records: Records;
      grants: Grants;
      audit: Audit;
      credentials: Credentials;
      outside: Outside;
      passkeys: PasskeyRows;
    },
  ) {
    this.#queue = parts.queue;
    this.#sessions = parts.table;
    this.#mark = parts.mark;
    this.#records = parts.records;
    this.#grants = parts.grants;
    this.#audit = parts.audit;
    this.#credentials = parts.credentials;
    this.#outside = parts.outside;
    this.#passkeys = parts.passkeys;
    this.#insert = db.prepare('insert into events (rowid, session, seq, key, text) values (?, ?, ?, ?, ?)');
    this.#undo = db.prepare('delete from events where session = ? and seq > ?');
    this.#read = pluck(db, 'select text from events where session = ? and seq > ? order by seq limit ?');
    this.#find = pluck(db, findByKeys);
  }

  append(change: Append): Promise<void> {
    return this.#queue.write(() => this.#append(change));
  }

  async *read(sessionId: SessionId, afterSeq: Seq, limit = Number.POSITIVE_INFINITY): AsyncIterable<readonly string[]> {
    for (let seq = afterSeq, left = limit; left > 0; ) {
      const wanted = Math.min(left, chunkRows);
      const texts = this.#readChunk(sessionId, seq, wanted);
      if (texts.length > 0) yield texts;
      if (texts.length < wanted) return;
      seq += texts.length; // no gaps (EVT1)
      left -= texts.length;
      await nextTurn(); // readers of a long log yield the event loop between chunks
    }
  }

  async find(sessionId: SessionId, ...keys: readonly string[]): Promise<readonly string[]> {
    return lookUp(() => {
      const end = this.#sessions.locate(sessionId);
      return end ? this.#find.all(end.key, JSON.stringify(keys)) : [];
    });
  }

  async records(sessionId: SessionId, toolCallId: ToolCallId): Promise<readonly JournalRecord[]> {
    return lookUp(() => {
      const end = this.#sessions.locate(sessionId);
      return end ? this.#records.list(end.key, toolCallId) : [];
    });
  }

  #readChunk(sessionId: SessionId, afterSeq: Seq, limit: number): string[] {
    return lookUp(() => {
      const end = this.#sessions.locate(sessionId);
      return end ? this.#read.all(end.key, afterSeq, limit) : [];
    });
  }

  #append(change: Append): void {
    assertGapless(change);
    const records = change.records?.map(toText); // before anything is written, because it may fail
    const end = this.#sessions.locate(change.sessionId);
    if (!end) throw refuseUnknown(change);
    this.#credentials.require(change.authority);
    if (end.seq !== change.expectedSeq) throw refuseSeq(change, end.seq);
    requireGrants(change.usedGrants, (id, now) => this.#grants.holds(id, now));
    requireVoters(change.voters, (id) => this.#credentials.creationOf(id));
    this.#passkeys.require(change.passkey);
    requireNewCall(change.outsideCall, (key) => this.#outside.has(key));
    this.#insertEvents(end, change); // first, because nothing after it can be refused
    for (const { toolCallId, key, text } of records ?? []) this.#records.put(end.key, toolCallId, key, text);
    for (const toolCallId of change.endedCalls ?? []) this.#records.drop(end.key, toolCallId);
    for (const grant of change.grants ?? []) this.#grants.store(grant); // mutant: claim-grant
    for (const id of change.usedGrants?.ids ?? []) this.#grants.count(id);
    this.#passkeys.count(change.passkey);
    for (const entry of change.audit ?? []) this.#audit.add(change.sessionId, end, entry);
    if (change.outsideCall) this.#outside.add(end.key, change.outsideCall); // mutant: outside-key
    end.seq += change.events.length;
    this.#sessions.stage(end, change.session);
  }

  /**
   * Inserts events. If a key is taken, it deletes those that this append has already inserted, which is cheaper than a savepoint for each append.
   */
  #insertEvents(end: LogEnd, change: Append): void {
    const before = this.#mark.last;
    for (const event of change.events) {
      try {
        this.#insert.run(this.#mark.next(), end.key, event.seq, event.key ?? null, event.text);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        this.#undo.run(end.key, end.seq);
        this.#mark.backTo(before);
        throw refuseKey(change, event.key, error);
      }
    }
  }
}

function toText({ toolCallId, key, value }: JournalRecord): RecordText {
  return { toolCallId, key, text: JSON.stringify(value) ?? 'null' };
}
