import {
  type Instant,
  type Json,
  type LivingNode,
  type Seq,
  type SessionId,
  type SharedNews,
  type SharedStore,
  StoreError,
} from '@parleyhq/core';
import { type Condition, lookUp, type Sql, toStoreError } from './database.ts';
import type { Ear } from './ear.ts';
import type { Committed, Writer } from './group.ts';
import type { History } from './history.ts';
import { endStopped } from './stopped.ts';

const channel = 'parley_news';

/** In ms: how long a notification that was lost delays what it told of. */
const pollMs = 1000;

/** In renewals, one a second: longer than it takes to notice that the database was away. */
const renewalsToReturn = 30;

type Other = Exclude<SharedNews, { what: 'changed' }>;

interface Found {
  /** It is the database that this node knew. */
  readonly isKnown: boolean;
  /** No transaction below this one is under way: none of its rows can appear later. */
  readonly floor: string;
  readonly changed: readonly { readonly sessionId: SessionId; readonly seq: Seq }[];
  readonly others: readonly { readonly n: number; readonly what: Other['what']; readonly session: string | null }[];
}

/**
 * What all nodes stored, and which of them live (OPS4). A notification only wakes: what there is stands in the tables, and is
 * found by the transactions that wrote it. They are numbered when they begin and not when they end; so each look begins
 * at the oldest that was under way at the last one, and leaves out what it knows. A database that crashed gives the numbers of
 * commits that had not reached the disk once more; so the first look after each lost connection begins further back, where a
 * lease was renewed: that number is on the disk.
 */
export class News implements SharedStore {
  readonly #sql: Sql;
  readonly #notifying: Sql;
  readonly #ear: Ear;
  readonly #history: History;
  /** Names this process in notifications and news, which it need not hear itself. */
  readonly #sender: string;
  #floor: string | undefined;
  /** What it was at the last renewals, oldest first. */
  #floors: string[] = [];
  /** The connection on which it hears was lost: the database may have crashed. */
  #hasReturned = false;
  /** Of those who changed since the floor. */
  #known = new Map<SessionId, Seq>();
  /** Of what came and went: the renewal after which it was seen last. */
  #told = new Map<number, number>();
  #onNews: (news: readonly SharedNews[]) => void = () => undefined;
  #onFault: (error: unknown) => void = () => undefined;
  #looking: Promise<void> | undefined;
  #isStale = false;
  /** A notification is on its way, and something was stored since. */
  #telling: Promise<void> | undefined;
  #isUntold = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** How often this node has said that it lives. */
  #beats = 0;

  constructor(sql: Sql, notifying: Sql, ear: Ear, { history, name }: Writer) {
    this.#sql = sql;
    this.#notifying = notifying;
    this.#ear = ear;
    this.#history = history;
    this.#sender = name;
  }

  get replaced(): Promise<void> {
    return this.#history.replaced;
  }

  async follow(onNews: (news: readonly SharedNews[]) => void, onFault: (error: unknown) => void): Promise<void> {
    const sql = this.#sql;
    await lookUp(() => sql`delete from session_news where at < now() - interval '1 day'`);
    const [now] = await lookUp(() => sql<{ floor: string }[]>`select ${floorNow(sql)} as floor`);
    this.#floor = now?.floor;
    this.#onNews = onNews;
    this.#onFault = onFault;
    const hear = (sender: string) => {
      if (sender !== this.#sender) this.#look();
    };
    await this.#ear.listen(channel, hear, () => {
      this.#hasReturned = true;
      this.#look();
    });
    this.#timer = setInterval(() => this.#look(), pollMs).unref();
  }

  async renew({ id, details }: LivingNode, leaseMs: number): Promise<readonly LivingNode[]> {
    await lookUp(() => this.#history.require(this.#sql));
    this.#beats += 1; // also where it is not known what became of the last one
    const [beats, known] = [this.#beats, this.#history.beats];
    const seen = this.#floor;
    const rows = await lookUp(
      () => this.#sql<{ id: string; details: string; floor: string }[]>`
        select id, details, ${floorNow(this.#sql)} as floor from renew_node(${id}, ${leaseMs} * interval '1 millisecond', ${JSON.stringify(details)}, ${beats}, ${known})`,
    );
    if (rows.length === 0) await lookUp(() => this.#history.require(this.#sql)); // it was set back just now
    this.#history.confirm(id, beats);
    this.#floors = [...this.#floors, seen ?? rows[0]?.floor ?? '0'].slice(-renewalsToReturn);
    await endStopped(this.#sql).catch((error: unknown) => this.#onFault(error)); // this node lives all the same
    return rows.map((row) => ({ id: row.id, details: JSON.parse(row.details) as Json }));
  }

  async readClock(): Promise<Instant> {
    const [row] = await lookUp(
      () => this.#sql<{ now: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    );
    if (!row) throw new StoreError('failed', 'The database does not say what time it is.');
    return row.now;
  }

  async leave(id: string): Promise<void> {
    this.#history.leave();
    await lookUp(() => this.#sql`delete from nodes where id = ${id}`);
  }

  /** This process stored it. */
  committed({ grown, isNews }: Committed): void {
    for (const [id, seq] of grown) this.#known.set(id, seq);
    if (grown.size === 0 && !isNews) return;
    this.#isUntold = true;
    this.#telling ??= this.#wake().finally(() => {
      this.#telling = undefined;
    });
  }

  /** All that is stored while a notification is on its way shares the next one: at its commit each waits for those of all nodes. */
  async #wake(): Promise<void> {
    while (this.#isUntold) {
      this.#isUntold = false;
      await this.#notifying.notify(channel, this.#sender).catch((error: unknown) => this.#onFault(toStoreError(error))); // the next poll covers it
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.all([this.#looking, this.#telling]);
  }

  #look(): void {
    if (this.#isClosed) return;
    this.#isStale = true;
    this.#looking ??= this.#lookAgain().finally(() => {
      this.#looking = undefined;
    });
  }

  async #lookAgain(): Promise<void> {
    while (this.#isStale && !this.#isClosed) {
      this.#isStale = false;
      try {
        this.#tell(await this.#find());
      } catch (error) {
        this.#onFault(toStoreError(error));
        return; // the next poll tries again
      }
    }
  }

  async #find(): Promise<Found> {
    if (this.#hasReturned) this.#floor = this.#floors[0] ?? this.#floor;
    this.#hasReturned = false;
    const [sql, floor = '0'] = [this.#sql, this.#floor];
    const [found] = await sql<[Found]>`
      select ${this.#history.holds(sql)} as "isKnown", ${floorNow(sql)} as floor,
        (select coalesce(json_agg(json_build_object('sessionId', id, 'seq', end_seq)), '[]') from (
          select sessions.id, max(events.seq) as end_seq from events join sessions on sessions.key = events.session
          where transaction >= ${floor}::text::xid8 group by sessions.id) as grown) as changed,
        (select coalesce(json_agg(json_build_object('n', n, 'what', what, 'session', session) order by n), '[]')
          from session_news where transaction >= ${floor}::text::xid8 and sender is distinct from ${this.#sender}) as others`;
    if (!found.isKnown) await this.#history.require(sql);
    return found;
  }

  #tell({ floor, changed, others }: Found): void {
    const isNew = ({ sessionId, seq }: Found['changed'][number]) => seq > (this.#known.get(sessionId) ?? 0);
    const news: SharedNews[] = others.filter(({ n }) => !this.#told.has(n)).map(toNews);
    for (const each of changed.filter(isNew)) news.push({ what: 'changed', ...each });
    this.#known = new Map(
      changed.map(({ sessionId, seq }) => [sessionId, Math.max(seq, this.#known.get(sessionId) ?? 0)]),
    );
    for (const { n } of others) this.#told.set(n, this.#beats);
    for (const [n, beats] of this.#told) if (beats < this.#beats - renewalsToReturn) this.#told.delete(n);
    this.#floor = floor;
    if (news.length > 0) this.#onNews(news);
  }
}

/** The oldest transaction that is under way. */
function floorNow(sql: Sql): Condition {
  return sql`pg_snapshot_xmin(pg_current_snapshot())::text`;
}

function toNews({ what, session }: Found['others'][number]): Other {
  const about = session === null ? undefined : JSON.parse(session);
  if (what === 'devices') return { what };
  if (what === 'grants') return { what, ...(about !== undefined && { sessionId: about }) };
  return { what, session: about };
}
