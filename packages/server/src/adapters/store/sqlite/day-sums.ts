import type { CaseSum, CountedCase, StoredCase } from '@parleyhq/core';
import type { CaseChanges } from '@parleyhq/store-kit';
import { type Database, lookUp, type Statement } from './database.ts';

/** Rows per read: few enough not to block the event loop, although each may have the times of a day. */
const chunkRows = 512;

interface SumRow {
  readonly sessionId: string;
  readonly kind: string;
  readonly count: number;
  /** Numbers, each followed by a comma. */
  readonly times: string;
  readonly newest: string;
}

interface Change {
  readonly day: string;
  readonly kind: string;
  count: number;
  times: string;
  newest: string;
}

/**
 * How many cases of each kind a session has on each day, so that a statistic of much need not read every case (LESS1). Changes
 * with the cases. Sessions with hidden calls are left out, because each of their cases has people who may see it.
 */
export class DaySums {
  readonly #put: Statement;
  readonly #last: Statement<number | null>;
  readonly #read: Statement<SumRow>;

  constructor(db: Database) {
    this.#put = db.prepare(
      `insert into counted_days (session, day, kind, count, times, newest) values (?, ?, ?, ?, ?, ?)
       on conflict (session, day, kind) do update set count = count + excluded.count, times = times || excluded.times,
         newest = max(newest, excluded.newest)`,
    );
    this.#last = db.prepare<unknown[], number | null>('select max(rowid) from counted_days').pluck();
    this.#read = db.prepare(
      `select s.id as sessionId, d.kind, d.count, d.times, d.newest from counted_days d join sessions s on s.key = d.session
       where d.rowid > ? and d.rowid <= ? and d.day >= ? and d.day < ? and d.count > 0
         and not exists (select 1 from counted_hidden_calls h where h.session = d.session)`,
    );
  }

  /** Call within the write that stores the changed cases, before they are stored. */
  change(session: number, changes: CaseChanges): void {
    const sums = new Map<string, Change>();
    const add = (counted: CountedCase, count: 1 | -1) => {
      const [day, kind] = [dayOf(counted.at), kindOf(counted)];
      const sum = sums.get(day + kind) ?? { day, kind, count: 0, times: '', newest: '' };
      sums.set(day + kind, sum);
      sum.count += count;
      if (count > 0 && counted.ms !== undefined) sum.times += `${counted.ms},`; // a case with a time does not change again
      if (counted.at > sum.newest) sum.newest = counted.at;
    };
    for (const [id, changed] of changes.cases) {
      const stored = changes.findStored(id);
      if (stored) add(stored, -1);
      add(changed, 1);
    }
    for (const { day, kind, count, times, newest } of sums.values())
      this.#put.run(session, day, kind, count, times, newest);
  }

  /** Yields the sums of the days from `first` on, and before `last`. */
  *read(first: string, last: string): Iterable<readonly StoredCase[]> {
    const end = lookUp(() => this.#last.get()) ?? 0;
    for (let after = 0; after < end; after += chunkRows)
      yield lookUp(() => this.#read.all(after, after + chunkRows, first, last)).map(toStored);
  }
}

/** Returns the days that a period has whole: from the first one on, and before the last one. */
export function wholeDays(from: string, to: string): readonly [first: string, last: string] {
  const first = from === '' || from === startOf(dayOf(from)) ? dayOf(from) : nextDay(dayOf(from));
  return [first, to === '~' ? to : dayOf(to)];
}

const startOf = (day: string) => `${day}T00:00:00.000Z`;
const dayOf = (time: string) => time.slice(0, 'yyyy-mm-dd'.length);
const nextDay = (day: string) => dayOf(new Date(Date.parse(startOf(day)) + 86_400_000).toISOString());

/** What cases have in common that are counted as one: all that statistics look at. */
function kindOf(counted: CountedCase): string {
  const {
    id: _,
    toolCallId: __,
    at: ___,
    ms: ____,
    readingMs: _____,
    offered: ______,
    hasAsked: _______,
    ...kind
  } = counted;
  return JSON.stringify(kind);
}

function toStored({ sessionId, kind, count, times, newest }: SumRow): StoredCase {
  const sum: CaseSum = { count, times: JSON.parse(`[${times.slice(0, -1)}]`) };
  return { sessionId, counted: { ...JSON.parse(kind), id: '', toolCallId: '', at: newest }, sum };
}
