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
import { lookUp, type Sql, toStoreError } from './database.ts';
import type { Ear } from './ear.ts';
import type { Committed, Writer } from './group.ts';
import type { History } from './history.ts';
import { endStopped } from './stopped.ts';

const channel = 'parley_news';

/** In ms: how long a notification that was lost delays what it told of. */
const pollMs = 1000;

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
 * at the oldest that was under way at the last one, and leaves out what it knows.
 */
export class News implements SharedStore {
  readonly #sql: Sql;
  readonly #notifying: Sql;
  readonly #ear: Ear;
  readonly #history: History;
  /** Names this process in notifications and news, which it need not hear itself. */
  readonly #sender: string;
  #floor = '0';
  /** Of those who changed since the floor, and of what came and went. */
  #known = new Map<SessionId, Seq>();
  #told = new Set<number>();
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
    const [now] = await lookUp(() => sql<Found[]>`select pg_snapshot_xmin(pg_current_snapshot())::text as floor`);
    this.#floor = now?.floor ?? '0';
    this.#onNews = onNews;
    this.#onFault = onFault;
    const hear = (sender: string) => {
      if (sender !== this.#sender) this.#look();
    };
    await this.#ear.listen(channel, hear, () => this.#look()); // also after each lost connection
    this.#timer = setInterval(() => this.#look(), pollMs).unref();
  }

  async renew({ id, details }: LivingNode, leaseMs: number): Promise<readonly LivingNode[]> {
    await lookUp(() => this.#history.require(this.#sql));
    this.#beats += 1; // also where it is not known what became of the last one
    const [beats, known] = [this.#beats, this.#history.beats];
    const rows = await lookUp(
      () => this.#sql<{ id: string; details: string }[]>`
        select id, details from renew_node(${id}, ${leaseMs} * interval '1 millisecond', ${JSON.stringify(details)}, ${beats}, ${known})`,
    );
    if (rows.length === 0) await lookUp(() => this.#history.require(this.#sql)); // it was set back just now
    this.#history.confirm(id, beats);
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
    const [sql, floor] = [this.#sql, this.#floor];
    const [found] = await sql<[Found]>`
      select ${this.#history.holds(sql)} as "isKnown", pg_snapshot_xmin(pg_current_snapshot())::text as floor,
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
    this.#told = new Set(others.map(({ n }) => n));
    this.#floor = floor;
    if (news.length > 0) this.#onNews(news);
  }
}

function toNews({ what, session }: Found['others'][number]): Other {
  const about = session === null ? undefined : JSON.parse(session);
  if (what === 'devices') return { what };
  if (what === 'grants') return { what, ...(about !== undefined && { sessionId: about }) };
  return { what, session: about };
}
