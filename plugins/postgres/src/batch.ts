import {
  type Append,
  type AuditEntry,
  type AuditRow,
  foldText,
  type JournalRecord,
  type Seq,
  type Session,
  type SessionId,
} from '@parleyhq/core';
import { chain, type Link } from '@parleyhq/store-kit';
import type { Condition, Query } from './database.ts';
import { minuteOf } from './minute.ts';
import type { Place } from './session-keys.ts';

/** A session, with the ends of its log before and after a batch. */
interface Span extends Place {
  readonly before: Seq;
  readonly seq: Seq;
  readonly session: Session;
}

interface EventRow {
  readonly session: number;
  readonly seq: Seq;
  readonly key: string | null;
  readonly text: string;
}

interface RecordRow {
  readonly session: number;
  readonly call: string;
  readonly key: string;
  readonly value: string;
}

type EndedRow = Pick<RecordRow, 'session' | 'call'>;
type LinkRow = AuditRow & { readonly id: SessionId };

/** Consecutive appends as rows that one statement stores. */
export class Batch {
  readonly #spans = new Map<SessionId, Span>();
  readonly #events: EventRow[] = [];
  /** The last record under each key, without those of calls that ended. */
  readonly #records = new Map<string, RecordRow>();
  readonly #ended: EndedRow[] = [];
  readonly #audit: LinkRow[] = [];

  /** The row key and the audit end of each session, after the batch. */
  get places(): ReadonlyMap<SessionId, Place> {
    return this.#spans;
  }

  /** The new end of each log that receives events. */
  get grown(): ReadonlyMap<SessionId, Seq> {
    const grown = [...this.#spans].filter(([, { before, seq }]) => seq > before);
    return new Map(grown.map(([id, { seq }]) => [id, seq]));
  }

  /**
   * @returns false, having added nothing, if the append does not continue its session or needs an unknown end of the audit chain
   */
  add(change: Append, { key, audited }: Place): boolean {
    const { sessionId: id, expectedSeq, events, audit = [], session } = change;
    const known = this.#spans.get(id) ?? { before: expectedSeq, seq: expectedSeq, audited };
    if (known.seq !== expectedSeq || (audit.length > 0 && !known.audited)) return false;
    const end = this.#chain(id, known.audited, audit);
    this.#spans.set(id, { key, before: known.before, seq: expectedSeq + events.length, audited: end, session });
    for (const { seq, key: name = null, text } of events) this.#events.push({ session: key, seq, key: name, text });
    for (const record of change.records ?? []) this.#put(key, record);
    for (const call of change.endedCalls ?? []) this.#end(key, call);
    return true;
  }

  /**
   * Stores all appends, or nothing if a session's log has another end than its first append expects. Parts of the statement
   * without rows are left out, because the database would prepare them too, which takes longer than storing a few rows.
   * @param condition - nothing is stored if it is false
   */
  async store(sql: Query, condition: Condition): Promise<boolean> {
    const spans = [...this.#spans.values()].sort((one, other) => one.key - other.key);
    const sessions = spans.map(toRow);
    const keys = column(spans, 'key');
    const [events, records, ended, audit] = [this.#events, [...this.#records.values()], this.#ended, this.#audit];
    const nothing = sql``;
    const [verdict] = await sql<{ holds: boolean }[]>`
      with held as materialized (
        select key, seq from sessions where key = any(${keys}::integer[]) order by id for update
      ), verdict as materialized (
        select ${condition}
          and (select array_agg(seq order by key) from held) = ${column(spans, 'before')}::integer[] as holds
      ), changed as (
        update sessions set title = row.title, folded = row.folded, agent = row.agent,
          permission_mode = row.permission_mode, status = row.status, open_count = row.open_count,
          updated_at = row.updated_at, updated_minute = row.updated_minute, seq = row.seq,
          pinned = row.pinned <> 0, archived = row.archived <> 0
        from verdict, unnest(${keys}::integer[], ${column(sessions, 'title')}::text[],
          ${column(sessions, 'folded')}::text[], ${column(sessions, 'agent')}::text[],
          ${column(sessions, 'permissionMode')}::text[], ${column(sessions, 'status')}::text[],
          ${column(sessions, 'openCount')}::integer[], ${column(sessions, 'updatedAt')}::text[],
          ${column(sessions, 'minute')}::text[], ${column(spans, 'seq')}::integer[],
          ${column(sessions, 'pinned')}::integer[], ${column(sessions, 'archived')}::integer[])
        as row (key, title, folded, agent, permission_mode, status, open_count, updated_at, updated_minute, seq,
          pinned, archived)
        where holds and sessions.key = row.key
      )
      ${events.length === 0 ? nothing : addEvents(sql, events)}
      ${ended.length === 0 ? nothing : dropRecords(sql, ended)}
      ${records.length === 0 ? nothing : putRecords(sql, records)}
      ${audit.length === 0 ? nothing : addAudit(sql, audit)}
      select holds from verdict`;
    return verdict?.holds ?? false;
  }

  #chain(id: SessionId, before: Link | undefined, entries: readonly AuditEntry[]): Link | undefined {
    let last = before;
    for (const entry of entries) {
      if (!last) return undefined;
      const row = chain(id, last, entry);
      this.#audit.push({ id, ...row });
      last = row;
    }
    return last;
  }

  #put(session: number, { toolCallId: call, key, value }: JournalRecord): void {
    const row = { session, call, key, value: JSON.stringify(value) ?? 'null' };
    this.#records.set(JSON.stringify([session, call, key]), row);
  }

  #end(session: number, call: string): void {
    for (const [name, row] of this.#records)
      if (row.session === session && row.call === call) this.#records.delete(name);
    this.#ended.push({ session, call });
  }
}

function addEvents(sql: Query, rows: readonly EventRow[]): Condition {
  return sql`, added as (
    insert into events (session, seq, key, text)
    select row.* from verdict, unnest(${column(rows, 'session')}::integer[], ${column(rows, 'seq')}::integer[],
      ${column(rows, 'key')}::text[], ${column(rows, 'text')}::text[]) as row where holds)`;
}

function dropRecords(sql: Query, rows: readonly EndedRow[]): Condition {
  return sql`, dropped as (
    delete from records using verdict,
      unnest(${column(rows, 'session')}::integer[], ${column(rows, 'call')}::text[]) as row (session, call)
    where holds and records.session = row.session and tool_call_id = row.call)`;
}

function putRecords(sql: Query, rows: readonly RecordRow[]): Condition {
  return sql`, noted as (
    insert into records (session, tool_call_id, key, value)
    select row.* from verdict, unnest(${column(rows, 'session')}::integer[], ${column(rows, 'call')}::text[],
      ${column(rows, 'key')}::text[], ${column(rows, 'value')}::text[]) as row where holds
    on conflict (session, tool_call_id, key) do update set value = excluded.value)`;
}

function addAudit(sql: Query, rows: readonly LinkRow[]): Condition {
  return sql`, audited as (
    insert into audit (session_id, n, text, hash)
    select row.* from verdict, unnest(${column(rows, 'id')}::text[], ${column(rows, 'n')}::integer[],
      ${column(rows, 'text')}::text[], ${column(rows, 'hash')}::text[]) as row where holds)`;
}

/** Returns the columns of a session's row. Booleans become numbers, because postgres.js misreads an array of booleans. */
function toRow({ session }: Span) {
  const { title, updatedAt, pinned = false, archived = false } = session;
  const flags = { pinned: Number(pinned), archived: Number(archived) };
  return { ...session, ...flags, folded: foldText(title), minute: minuteOf(updatedAt) };
}

function column<Row, Name extends keyof Row>(rows: readonly Row[], name: Name): Row[Name][] {
  return rows.map((row) => row[name]);
}
