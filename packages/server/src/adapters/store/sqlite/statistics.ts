import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CaseFilter,
  type CaseReadOptions,
  type ChatEvent,
  type CountedCase,
  casesVersion,
  countedKeys,
  type HiddenCall,
  type StatisticsStore,
  type StoredCase,
} from '@parleyhq/core';
import { CaseChanges, type CommitQueue } from '@parleyhq/store-kit';
import { type Database, lookUp, pluck, type Statement } from './database.ts';
import { DaySums, wholeDays } from './day-sums.ts';
import type { EpochMark } from './epoch-mark.ts';

/** How long one step of counting may take, in ms, because it blocks the event loop and the writes of its turn. */
const stepMs = 8;
/** Maximum number of events, and about how many characters of them, between two looks at the clock. */
const lookRows = 256;
const lookLength = 256 * 1024;

/** Rows per read: few enough not to block the event loop. */
const chunkRows = 1024;

interface EventRow {
  readonly number: number;
  readonly session: number;
  readonly text: string;
}

interface CaseRow {
  readonly position: number | string;
  readonly sessionId: string;
  readonly details: string;
  readonly hidden: string | null;
}

/** Each beginning ends with a colon, which a semicolon follows. */
const isCounted = countedKeys.map((start) => `(key >= '${start}' and key < '${start.slice(0, -1)};')`).join(' or ');

const cases = `select c.details, s.id as sessionId, h.details as hidden`;
const joined = `join sessions s on s.key = c.session
  left join counted_hidden_calls h on h.session = c.session and h.tool_call_id = c.tool_call_id`;

/**
 * The counted cases (LESS1). A position in the numbers of all events says how far they are counted. Nothing is counted until
 * somebody reads; then the events since are, in short steps between which other work goes on.
 */
export class Statistics implements StatisticsStore {
  readonly #db: Database;
  readonly #queue: CommitQueue;
  readonly #mark: EpochMark;
  readonly #readPosition: Statement<string>;
  readonly #putPosition: Statement;
  readonly #events: Statement<EventRow>;
  readonly #findCase: Statement<string>;
  readonly #findHidden: Statement<string>;
  readonly #putCase: Statement;
  readonly #putHidden: Statement;
  readonly #lastCase: Statement<number | null>;
  readonly #readAll: Statement<CaseRow>;
  readonly #readShown: Statement<CaseRow>;
  readonly #readSession: Statement<CaseRow>;
  readonly #hidingSessions: Statement<string>;
  readonly #days: DaySums;
  #counting: Promise<void> | undefined;

  constructor(db: Database, queue: CommitQueue, mark: EpochMark) {
    this.#db = db;
    this.#queue = queue;
    this.#mark = mark;
    this.#readPosition = pluck(db, "select value from meta where name = 'counted'");
    this.#putPosition = db.prepare(
      "insert into meta (name, value) values ('counted', ?) on conflict (name) do update set value = excluded.value",
    );
    this.#events = db.prepare<unknown[], EventRow>(
      `select rowid as number, session, text from events where rowid > ? and rowid <= ? and (${isCounted}) order by rowid`,
    );
    this.#findCase = pluck(db, 'select details from counted_cases where session = ? and id = ?');
    this.#findHidden = pluck(db, 'select details from counted_hidden_calls where session = ? and tool_call_id = ?');
    this.#putCase = db.prepare(
      `insert into counted_cases (session, id, tool_call_id, at, details) values (?, ?, ?, ?, ?)
       on conflict (session, id) do update set details = excluded.details`,
    );
    this.#putHidden = db.prepare(
      `insert into counted_hidden_calls (session, tool_call_id, details) values (?, ?, ?)
       on conflict (session, tool_call_id) do update set details = excluded.details`,
    );
    this.#lastCase = db.prepare<unknown[], number | null>('select max(rowid) from counted_cases').pluck();
    const ofPeriod = `${cases}, c.rowid as position from counted_cases c ${joined}
       where c.rowid > ? and c.rowid <= ? and at >= ? and at < ?`;
    this.#readAll = db.prepare(`${ofPeriod} order by c.rowid`);
    this.#readShown = db.prepare(
      `${ofPeriod} and not exists (select 1 from counted_hidden_calls o where o.session = c.session) order by c.rowid`,
    );
    this.#hidingSessions = pluck(
      db,
      'select distinct s.id from counted_hidden_calls h join sessions s on s.key = h.session',
    );
    this.#days = new DaySums(db);
    this.#readSession = db.prepare(
      `${cases}, c.id as position from counted_cases c ${joined}
       where c.session = (select key from sessions where id = ?) and c.id > ? and at >= ? and at < ? order by c.id limit ?`,
    );
  }

  async *read(
    { sessionId, from = '', to = '~' }: CaseFilter = {},
    { isSummed = false }: CaseReadOptions = {},
  ): AsyncIterable<readonly StoredCase[]> {
    await this.#countAll();
    const [first, last] = wholeDays(from, to);
    if (sessionId !== undefined) yield* this.#readOne(sessionId, from, to);
    else if (!isSummed || first >= last) yield* this.#readEach(this.#readAll, from, to);
    else {
      const hiding = lookUp(() => this.#hidingSessions.all());
      for (const chunk of this.#days.read(first, last)) {
        yield chunk;
        await nextTurn();
      }
      if (from < first) yield* this.#readEach(this.#readShown, from, first);
      if (last < to) yield* this.#readEach(this.#readShown, last, to);
      for (const id of hiding) yield* this.#readOne(id, from, to);
    }
  }

  reset(): Promise<void> {
    return this.#queue.write(() => this.#clear());
  }

  async *#readEach(rows: Statement<CaseRow>, from: string, to: string): AsyncIterable<readonly StoredCase[]> {
    const end = lookUp(() => this.#lastCase.get()) ?? 0;
    for (let after = 0; after < end; after += chunkRows) {
      yield lookUp(() => rows.all(after, after + chunkRows, from, to)).map(toStored);
      await nextTurn();
    }
  }

  async *#readOne(sessionId: string, from: string, to: string): AsyncIterable<readonly StoredCase[]> {
    for (let after: CaseRow['position'] = ''; ; await nextTurn()) {
      const rows = lookUp(() => this.#readSession.all(sessionId, after, from, to, chunkRows));
      yield rows.map(toStored);
      const last = rows.at(-1);
      if (!last || rows.length < chunkRows) return;
      after = last.position;
    }
  }

  /** Counts all events that are stored. Readers that come at the same time share the work. */
  #countAll(): Promise<void> {
    this.#counting ??= this.#countSteps().finally(() => {
      this.#counting = undefined;
    });
    return this.#counting;
  }

  async #countSteps(): Promise<void> {
    while (this.#position < this.#mark.last) await this.#queue.write(() => this.#countStep());
  }

  /** Call within a write. Events and cases change together, so a session that is deleted meanwhile leaves nothing behind. */
  #countStep(): void {
    const until = performance.now() + stepMs;
    const end = this.#mark.last;
    let position = this.#position;
    if (position === 0) this.#clear(); // of an earlier version
    while (position < end && performance.now() < until) position = this.#countSome(position, end);
    this.#putPosition.run(`${casesVersion} ${position}`);
  }

  /** Counts the next events. @returns the number of the last one that was looked at */
  #countSome(position: number, end: number): number {
    const { rows, last } = this.#readEvents(position, Math.min(position + lookRows, end));
    const bySession = new Map<number, CaseChanges>();
    for (const { session, text } of rows) {
      const changes = bySession.get(session) ?? this.#changesOf(session);
      bySession.set(session, changes);
      changes.add(JSON.parse(text) as ChatEvent);
    }
    for (const [session, changes] of bySession) {
      const { cases: changed, hidden } = changes;
      this.#days.change(session, changes);
      for (const each of changed.values()) {
        const { id, toolCallId, at } = each;
        this.#putCase.run(session, id, toolCallId, at, JSON.stringify(each));
      }
      for (const [toolCallId, call] of hidden) this.#putHidden.run(session, toolCallId, JSON.stringify(call));
    }
    return last;
  }

  /** Reads the events up to a number, or fewer if they are long. */
  #readEvents(after: number, last: number): { readonly rows: readonly EventRow[]; readonly last: number } {
    const rows: EventRow[] = [];
    let length = 0;
    for (const row of this.#events.iterate(after, last)) {
      rows.push(row);
      length += row.text.length;
      if (length > lookLength) return { rows, last: row.number };
    }
    return { rows, last };
  }

  #changesOf(session: number): CaseChanges {
    const found = new Map<string, CountedCase | undefined>();
    return new CaseChanges({
      findCase: (id) => {
        if (!found.has(id)) found.set(id, parse<CountedCase>(this.#findCase.get(session, id)));
        return found.get(id);
      },
      findHidden: (toolCallId) => parse<HiddenCall>(this.#findHidden.get(session, toolCallId)),
    });
  }

  /** Number of the last event that is counted; 0 if none is, or if an earlier version counted. */
  get #position(): number {
    const [version, position] = (lookUp(() => this.#readPosition.get()) ?? '').split(' ');
    return Number(version) === casesVersion ? Number(position) : 0;
  }

  #clear(): void {
    this.#db.exec('delete from counted_cases; delete from counted_hidden_calls; delete from counted_days');
    this.#putPosition.run(`${casesVersion} 0`);
  }
}

function parse<Value>(text: string | undefined): Value | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}

function toStored({ sessionId, details, hidden }: CaseRow): StoredCase {
  return { sessionId, counted: JSON.parse(details), ...(hidden !== null && { hidden: JSON.parse(hidden) }) };
}
