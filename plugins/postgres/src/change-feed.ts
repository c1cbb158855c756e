import {
  type Instant,
  type Json,
  type LeasedNode,
  type Seq,
  type SessionId,
  type SharedStore,
  type StoreChange,
  StoreError,
} from '@parleyhq/core';
import { type Condition, lookUp, type Sql, toStoreError } from './database.ts';
import type { History } from './history.ts';
import type { NotificationListener } from './notification-listener.ts';
import { endStopped } from './stopped.ts';
import type { Committed, Writer } from './write-transaction.ts';

const channel = 'parley_news';

/** Interval of polls, in ms: the longest delay of a change whose notification was lost. */
const pollMs = 1000;

/** In lease renewals, one a second: longer than it takes to notice that the database was unavailable. */
const renewalsToReturn = 30;

type Other = Exclude<StoreChange, { what: 'changed' }>;

interface Found {
  /** Whether it is still the database that this node opened. */
  readonly isKnown: boolean;
  /** All transactions with lower ids have ended, so no more of their rows can appear. */
  readonly floor: string;
  readonly changed: readonly { readonly sessionId: SessionId; readonly seq: Seq }[];
  readonly others: readonly { readonly n: number; readonly what: Other['what']; readonly session: string | null }[];
}

/**
 * Finds what other nodes have stored, and which nodes are live. Notifications only trigger a query of the tables, which
 * finds new rows by the ids of the transactions that wrote them. Transactions get their ids when they begin, not when they
 * commit, so each query starts at the oldest one that was running during the last query, and skips what is already known. After a
 * crash the database reuses ids of commits that had not reached the disk, so the first query after a lost connection starts
 * further back, at the id of an earlier lease renewal, which is on the disk.
 */
export class ChangeFeed implements SharedStore {
  readonly #sql: Sql;
  readonly #notifying: Sql;
  readonly #ear: NotificationListener;
  readonly #history: History;
  /** Id of this process in notifications, by which it ignores its own. */
  readonly #sender: string;
  #floor: string | undefined;
  /** The floors at the last lease renewals, oldest first. */
  #floors: string[] = [];
  /** Whether the connection for notifications was lost since the last query: the database may have crashed. */
  #hasReturned = false;
  /** The known log ends of sessions that changed since the floor. */
  #known = new Map<SessionId, Seq>();
  /** The other changes that were already reported, with the number of renewals at which each was last found. */
  #told = new Map<number, number>();
  #onNews: (news: readonly StoreChange[]) => void = () => undefined;
  #onFault: (error: unknown) => void = () => undefined;
  #looking: Promise<void> | undefined;
  #isStale = false;
  /** A notification that is being sent, and whether something was stored since. */
  #telling: Promise<void> | undefined;
  #isUntold = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** The number of lease renewals of this node. */
  #beats = 0;
  #renewing: Promise<unknown> = Promise.resolve();

  constructor(sql: Sql, notifying: Sql, ear: NotificationListener, { history, name }: Writer) {
    this.#sql = sql;
    this.#notifying = notifying;
    this.#ear = ear;
    this.#history = history;
    this.#sender = name;
  }

  get replaced(): Promise<void> {
    return this.#history.replaced;
  }

  async follow(onNews: (news: readonly StoreChange[]) => void, onFault: (error: unknown) => void): Promise<void> {
    const sql = this.#sql;
    await lookUp(() => sql`delete from session_news where at < now() - interval '1 day'`);
    const [now] = await lookUp(() => sql<{ floor: string }[]>`select ${floorNow(sql)} as floor`);
    this.#floor = now?.floor;
    this.#onNews = onNews;
    this.#onFault = onFault;
    const onNotification = (sender: string) => {
      if (sender !== this.#sender) this.#look();
    };
    await this.#ear.listen(channel, onNotification, () => {
      this.#hasReturned = true;
      this.#look();
    });
    this.#timer = setInterval(() => this.#look(), pollMs).unref();
  }

  /** Renewals run one after the other: if two crossed on their way, the database would seem to be set back. */
  renew(node: LeasedNode, leaseMs: number): Promise<readonly LeasedNode[]> {
    const renewed = this.#renewing.then(() => this.#renew(node, leaseMs));
    this.#renewing = renewed.catch(() => undefined); // whoever asked for it gets the error
    return renewed;
  }

  async #renew({ id, details }: LeasedNode, leaseMs: number): Promise<readonly LeasedNode[]> {
    await lookUp(() => this.#history.require(this.#sql));
    this.#beats += 1; // even if the outcome of the last renewal is unknown
    const [beats, known] = [this.#beats, this.#history.beats];
    const seen = this.#floor;
    const rows = await lookUp(
      () => this.#sql<{ id: string; details: string; floor: string }[]>`
        select id, details, ${floorNow(this.#sql)} as floor from renew_node(${id}, ${leaseMs} * interval '1 millisecond', ${JSON.stringify(details)}, ${beats}, ${known})`,
    );
    if (rows.length === 0) await lookUp(() => this.#history.require(this.#sql)); // the database was set back just now
    this.#history.confirm(id, beats);
    this.#floors = [...this.#floors, seen ?? rows[0]?.floor ?? '0'].slice(-renewalsToReturn);
    // the lease of this node was renewed all the same
    await endStopped(this.#sql).catch((error: unknown) => this.#onFault(error));
    return rows.map((row) => ({ id: row.id, details: JSON.parse(row.details) as Json }));
  }

  async readClock(): Promise<Instant> {
    const [row] = await lookUp(
      () => this.#sql<{ now: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    );
    if (!row) throw new StoreError('failed', 'The database did not return its time.');
    return row.now;
  }

  async leave(id: string): Promise<void> {
    this.#history.leave();
    await this.#renewing; // it would store the lease again
    await lookUp(() => this.#sql`delete from nodes where id = ${id}`);
  }

  /** Notes what this process has stored, and notifies other nodes. */
  committed({ grown, isNews }: Committed): void {
    for (const [id, seq] of grown) this.#known.set(id, seq);
    if (grown.size === 0 && !isNews) return;
    this.#isUntold = true;
    this.#telling ??= this.#wake().finally(() => {
      this.#telling = undefined;
    });
  }

  /**
   * Sends one notification for all that was stored during the previous one: each commit waits for the notifications of all nodes.
   */
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
    const news: StoreChange[] = others.filter(({ n }) => !this.#told.has(n)).map(toNews);
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

/** The id of the oldest running transaction. */
function floorNow(sql: Sql): Condition {
  return sql`pg_snapshot_xmin(pg_current_snapshot())::text`;
}

function toNews({ what, session }: Found['others'][number]): Other {
  const about = session === null ? undefined : JSON.parse(session);
  if (what === 'devices') return { what };
  if (what === 'grants') return { what, ...(about !== undefined && { sessionId: about }) };
  return { what, session: about };
}
