import {
  type CaseFilter,
  type ChatEvent,
  type CountedCase,
  caseIdsOf,
  casesVersion,
  countedKeys,
  type HiddenCall,
  hiddenCallOf,
  type Seq,
  type SessionId,
  type StatisticsStore,
  type StoredCase,
} from '@parleyhq/core';
import { CaseChanges } from '@parleyhq/store-kit';
import { lookUp, type Sql, type Transaction, transact } from './database.ts';

/** The advisory lock of counting: another node counts afterwards what is left. */
const countingLock = 7_420_002;

/** Maximum numbers of sessions and events that one transaction counts, because it ends up keeping these sessions from being deleted. */
const stepSessions = 256;
const stepEvents = 2048;

/** Rows per read. */
const chunkRows = 2048;

/** A session with events that are not counted. */
interface Uncounted {
  readonly session: number;
  readonly seq: Seq;
  /** The last event of the log. */
  readonly last: Seq;
}

interface EventRow extends Omit<Uncounted, 'last'> {
  /** Null if nothing counts it. */
  readonly text: string | null;
}

interface CaseRow {
  readonly session: number;
  readonly id: string;
  readonly sessionId: SessionId;
  readonly details: string;
  readonly hidden: string | null;
}

/** Beginnings of keys, as a regular expression. */
const countedPattern = `^(${countedKeys.join('|')})`;

/** The counted cases (LESS1). Nothing is counted until somebody reads; then the events since are, in short transactions. */
export class Statistics implements StatisticsStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async *read({ sessionId, from = '', to = '~' }: CaseFilter = {}): AsyncIterable<readonly StoredCase[]> {
    const sql = this.#sql;
    while (await lookUp(() => transact(sql, countStep)));
    const isMeant = sessionId === undefined ? sql`true` : sql`s.id = ${sessionId}`;
    for (let after: Pick<CaseRow, 'session' | 'id'> = { session: 0, id: '' }; ; ) {
      const { session, id } = after;
      const rows = await lookUp(
        () => sql<CaseRow[]>`
          select c.session, c.id, c.details, s.id as "sessionId", h.details as hidden
          from counted_cases c join sessions s on s.key = c.session
          left join counted_hidden_calls h on h.session = c.session and h.tool_call_id = c.tool_call_id
          where (c.session, c.id) > (${session}, ${id}) and c.at >= ${from} and c.at < ${to} and ${isMeant}
          order by c.session, c.id limit ${chunkRows}`,
      );
      yield rows.map(toStored);
      const last = rows.at(-1);
      if (!last || rows.length < chunkRows) return;
      after = last;
    }
  }

  async reset(): Promise<void> {
    await lookUp(() =>
      transact(this.#sql, async (sql) => {
        await sql`select pg_advisory_xact_lock(${countingLock})`;
        await clear(sql);
      }),
    );
  }
}

/** Counts some of the events that are not counted. @returns whether there may be more */
async function countStep(sql: Transaction): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(${countingLock})`;
  const [known] = await sql<{ value: string }[]>`select value from meta where name = 'counted'`;
  if (known?.value !== String(casesVersion)) {
    await clear(sql); // alone in its transaction, because a deletion that waits for these tables holds rows of sessions
    return true;
  }
  const open = await sql<Uncounted[]>`
    select s.key as session, coalesce(c.seq, 0) as seq, s.seq as last from sessions s left join counted_sessions c on c.session = s.key
    where s.seq > coalesce(c.seq, 0) order by s.key limit ${stepSessions}`;
  if (open.length === 0) return false;
  const events = await readEvents(sql, open);
  const found = events.flatMap(({ session, text }) =>
    text === null ? [] : [{ session, event: JSON.parse(text) as ChatEvent }],
  );
  const counted = await readCounted(sql, found);
  for (const { session, event } of found) counted.of(session).add(event);
  const ends = await lockEnds(sql, new Map(events.map(({ session, seq }) => [session, seq])));
  await putCounted(sql, new Map([...counted.all].filter(([session]) => ends.has(session))));
  await sql`
    insert into counted_sessions (session, seq)
    select * from unnest(${[...ends.keys()]}::integer[], ${[...ends.values()]}::integer[])
    on conflict (session) do update set seq = excluded.seq`;
  return true;
}

/**
 * Keeps sessions from being deleted until what is counted of them is stored, so that it is deleted with them. Locks them in the
 * order of all writes.
 * @param ends - how far their logs are counted
 * @returns those of the sessions that still exist
 */
async function lockEnds(sql: Transaction, ends: ReadonlyMap<number, Seq>): Promise<ReadonlyMap<number, Seq>> {
  const rows = await sql<{ key: number }[]>`
    select key from sessions where key = any(${[...ends.keys()]}::integer[]) order by id for key share`;
  const kept = new Set(rows.map(({ key }) => key));
  return new Map([...ends].filter(([session]) => kept.has(session)));
}

function readEvents(sql: Transaction, open: readonly Uncounted[]): Promise<readonly EventRow[]> {
  const ends: Seq[] = [];
  let left = stepEvents;
  for (const { seq, last } of open) {
    const end = Math.min(last, seq + left); // seqs have no gaps; a limit on the rows would sort all that are not counted
    ends.push(end);
    left -= end - seq;
  }
  return sql<EventRow[]>`
    select e.session, e.seq, case when e.key ~ ${countedPattern} then e.text end as text
    from unnest(${open.map(({ session }) => session)}::integer[], ${open.map(({ seq }) => seq)}::integer[],
      ${ends}::integer[]) as o (session, seq, last)
    join events e on e.session = o.session and e.seq > o.seq and e.seq <= o.last
    order by e.session, e.seq`;
}

type Found = { readonly session: number; readonly event: ChatEvent };

interface Counted {
  readonly all: ReadonlyMap<number, CaseChanges>;
  of(session: number): CaseChanges;
}

/** Reads what is stored of everything that these events may change. */
async function readCounted(sql: Transaction, found: readonly Found[]): Promise<Counted> {
  const cases = found.flatMap(({ session, event }) => caseIdsOf(event).map((id) => ({ session, id })));
  const calls = found.flatMap(({ session, event }) => {
    const id = hiddenCallOf(event);
    return id === undefined ? [] : [{ session, id }];
  });
  const [knownCases, knownCalls] = await Promise.all([
    readDetails<CountedCase>(sql, 'counted_cases', 'id', cases),
    readDetails<HiddenCall>(sql, 'counted_hidden_calls', 'tool_call_id', calls),
  ]);
  const all = new Map<number, CaseChanges>();
  return {
    all,
    of(session) {
      const known = all.get(session);
      if (known) return known;
      const made = new CaseChanges({
        findCase: (id) => knownCases.get(`${session} ${id}`),
        findHidden: (id) => knownCalls.get(`${session} ${id}`),
      });
      all.set(session, made);
      return made;
    },
  };
}

type Wanted = { readonly session: number; readonly id: string };

/** @returns the details by session and id */
async function readDetails<Value>(
  sql: Transaction,
  table: string,
  column: string,
  wanted: readonly Wanted[],
): Promise<ReadonlyMap<string, Value>> {
  if (wanted.length === 0) return new Map();
  const rows = await sql<(Wanted & { readonly details: string })[]>`
    select t.session, t.${sql(column)} as id, t.details
    from (select distinct * from unnest(${wanted.map(({ session }) => session)}::integer[],
      ${wanted.map(({ id }) => id)}::text[])) as w (session, id)
    join ${sql(table)} t on t.session = w.session and t.${sql(column)} = w.id`;
  return new Map(rows.map(({ session, id, details }) => [`${session} ${id}`, JSON.parse(details) as Value]));
}

async function putCounted(sql: Transaction, counted: Counted['all']): Promise<void> {
  const cases = [...counted].flatMap(([session, changes]) =>
    [...changes.cases.values()].map((counted) => ({ session, counted })),
  );
  const hidden = [...counted].flatMap(([session, changes]) =>
    [...changes.hidden].map(([id, call]) => ({ session, id, details: JSON.stringify(call) })),
  );
  await sql`
    insert into counted_cases (session, id, tool_call_id, at, details)
    select * from unnest(${cases.map(({ session }) => session)}::integer[],
      ${cases.map(({ counted }) => counted.id)}::text[], ${cases.map(({ counted }) => counted.toolCallId)}::text[],
      ${cases.map(({ counted }) => counted.at)}::text[], ${cases.map(({ counted }) => JSON.stringify(counted))}::text[])
    on conflict (session, id) do update set details = excluded.details`;
  await sql`
    insert into counted_hidden_calls (session, tool_call_id, details)
    select * from unnest(${hidden.map(({ session }) => session)}::integer[], ${hidden.map(({ id }) => id)}::text[],
      ${hidden.map(({ details }) => details)}::text[])
    on conflict (session, tool_call_id) do update set details = excluded.details`;
}

/** Drops all that is counted. Call with the lock of counting. */
async function clear(sql: Transaction): Promise<void> {
  // at once, however much it is, and in the order in which a deletion of a session comes to these tables
  await sql`truncate counted_sessions, counted_cases, counted_hidden_calls`;
  await sql`
    insert into meta (name, value) values ('counted', ${String(casesVersion)})
    on conflict (name) do update set value = excluded.value`;
}

function toStored({ sessionId, details, hidden }: CaseRow): StoredCase {
  return { sessionId, counted: JSON.parse(details), ...(hidden !== null && { hidden: JSON.parse(hidden) }) };
}
