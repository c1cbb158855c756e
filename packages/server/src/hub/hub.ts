import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AuditChange,
  asksNobody,
  authorityOf,
  type Channel,
  type Credential,
  type Maker,
  maySee,
  type Principal,
  RefusalError,
  type Seq,
  type Session,
  type SessionFilter,
  type SessionId,
  type SessionRecord,
  type SessionStore,
  type SharedNews,
  type Witness,
} from '@parleyhq/core';
import { newId } from '../node/new-id.ts';
import type { Node } from '../node/node.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { SessionListFeed } from '../tabs/session-list-feed.ts';
import type { Channels } from './channels.ts';
import type { WorkingSession } from './working-session.ts';

export interface HubOptions {
  readonly sessions: SessionStore;
  readonly load: (record: SessionRecord) => Promise<WorkingSession>;
  readonly lists: SessionListFeed;
  readonly node: Pick<Node, 'now'>;
  /** How long a log-in may do the riskiest acts (SEC9). */
  readonly freshLoginMs: number;
  /** A session is deleted, and nothing of it is left in the store. */
  readonly forget: (id: SessionId) => Promise<void>;
  readonly channels: Pick<Channels, 'add' | 'remove'>;
  /** Other nodes may write to the same sessions (OPS4). */
  readonly isShared: boolean;
}

/** How a session comes to its end. */
interface Deletion {
  /** Whose doing it is; absent where its time was over (OPS6). */
  readonly by?: Witness;
  readonly credential?: Credential | undefined;
  /** The end of the log that it was decided on. */
  readonly seq?: Seq;
}

/** A session that nobody used for this long, in ms, leaves memory. */
const idleMs = 30_000;

/** The sessions in memory: each is loaded once, however many ask for it. */
export class SessionHub {
  readonly #options: HubOptions;
  readonly #live = new Map<SessionId, Promise<WorkingSession>>();
  readonly #usedAt = new Map<SessionId, number>();
  readonly #sweeper: NodeJS.Timeout;
  /** Of the newest session. No two share it, for lists are paged by time. */
  #createdAt = 0;
  /** What this node stored and has not heard of itself yet. */
  readonly #ownNews = new Set<string>();

  constructor(options: HubOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => void this.#evictIdle(), idleMs).unref();
  }

  /**
   * Finds what a stop or a kill left unfinished, which wakes once the server is ready. To be called once, before clients come. What other nodes run is shown and
   * left to them.
   */
  async recover(): Promise<void> {
    const unfinished: WorkingSession[] = [];
    for (const record of await this.#options.sessions.list({ only: 'unfinished' })) {
      const loading = this.#options.load(record);
      this.#keep(record.session.id, loading);
      const live = await loading;
      live.session.announce();
      unfinished.push(live);
    }
    if (!this.#options.isShared) for (const live of unfinished) live.recover();
  }

  /** For a principal: a session that it may not see looks like one that is not there. @throws RefusalError `not_found` */
  async openFor(principal: Principal, id: SessionId): Promise<WorkingSession> {
    if (maySee(principal, id)) return this.open(id);
    const record = await this.#options.sessions.get(id); // also where it is another's: it takes as long as if it were not there
    const channel = record?.session.channel;
    if (channel) await this.#options.channels.add(channel, id); // another node opened it just now
    if (maySee(principal, id)) return this.open(id);
    throw new RefusalError('not_found');
  }

  /** @throws RefusalError `not_found` */
  open(id: SessionId): Promise<WorkingSession> {
    const known = this.#live.get(id);
    if (known) {
      this.#usedAt.set(id, performance.now());
      return known;
    }
    const loading = this.#find(id).then((record) => this.#load(record));
    this.#keep(id, loading);
    return loading;
  }

  /** What some node stored (OPS4). */
  async hear(news: Extract<SharedNews, { what: 'changed' | 'created' | 'deleted' }>): Promise<void> {
    if (news.what === 'changed') return this.#hearChange(news.sessionId, news.seq);
    const { session } = news;
    if (this.#ownNews.delete(`${news.what} ${session.id}`)) return;
    if (news.what === 'deleted') return this.#hearDeletion(session);
    const { channels, lists } = this.#options;
    if (session.channel) await channels.add(session.channel, session.id);
    lists.tell({ type: 'session_created', session });
  }

  async #hearChange(id: SessionId, seq: Seq): Promise<void> {
    const live = await this.#live.get(id);
    if (live) {
      if (live.session.row.seq < seq) await live.session.catchUp();
      return;
    }
    const record = await this.#options.sessions.get(id);
    if (!record) return;
    const { session } = record;
    if (session.status !== 'idle' || session.openCount > 0) await this.open(id);
    else this.#options.lists.tell({ type: 'session_updated', session });
  }

  async #hearDeletion(session: Session): Promise<void> {
    const { lists, channels, forget } = this.#options;
    const { id } = session;
    const live = await this.#live.get(id);
    live?.session.endedElsewhere();
    this.#forget(id);
    lists.forget(id);
    lists.tell({ type: 'session_deleted', session });
    if (session.channel) await channels.remove(session.channel, id);
    await forget(id);
  }

  /** Where others write, too, all that is open is in memory: what is loaded is news. */
  async #load(record: SessionRecord): Promise<WorkingSession> {
    const live = await this.#options.load(record);
    if (this.#options.isShared) live.session.announce({ isRecovered: false });
    return live;
  }

  /** Those in memory, or the one of an id; all with an open prompt are. */
  live(id?: SessionId): readonly Promise<WorkingSession>[] {
    if (id === undefined) return [...this.#live.values()];
    const live = this.#live.get(id);
    return live ? [live] : [];
  }

  /** Stores a new session and tells all that may see it. */
  async create({
    title,
    agent,
    isDefaultAgent = true,
    permissionMode,
    channel,
    by,
    credential,
    maker,
  }: NewSession): Promise<Session> {
    const { sessions, lists, node, channels, freshLoginMs } = this.#options;
    this.#createdAt = Math.max(node.now(), this.#createdAt + 1);
    const now = new Date(this.#createdAt).toISOString();
    const session: Session = {
      id: newId(),
      title: title ?? 'New session',
      agent,
      permissionMode: permissionMode ?? 'default',
      status: 'idle',
      openCount: 0,
      createdAt: now,
      updatedAt: now,
      seq: 0,
      ...(channel && { channel }),
    };
    await sessions.create(session, {
      opening: openingOf(session, isDefaultAgent, by),
      authority: credential && authorityOf(credential, node.now(), asksNobody(permissionMode) ? freshLoginMs : 0),
      maker,
    });
    if (this.#options.isShared) this.#ownNews.add(`created ${session.id}`);
    if (channel) await channels.add(channel, session.id);
    lists.tell({ type: 'session_created', session });
    return session;
  }

  /**
   * Everything open is settled and told, then all of it is gone; what comes meanwhile finds an ended session (OPS5).
   * @throws StoreError `conflict` where its log does not end where this says
   */
  async delete(session: LiveSession, { by, credential, seq }: Deletion): Promise<void> {
    const { sessions, lists, node, channels, forget } = this.#options;
    const { id } = session;
    await session.end({ ...(by && { by }), credential }, () => {
      const now = node.now();
      const deletion = { event: 'session_deleted', at: new Date(now).toISOString(), ...(by && { by }) } as const;
      return sessions.remove(id, deletion, { authority: credential && { credential, now }, seq });
    });
    if (this.#options.isShared) this.#ownNews.add(`deleted ${id}`);
    this.#forget(id);
    lists.forget(id);
    lists.tell({ type: 'session_deleted', session: session.row });
    if (session.row.channel) await channels.remove(session.row.channel, id);
    await forget(id);
  }

  /**
   * What a principal may see, newest first. `before` is an `updatedAt`, the id of the last session that is known, or both
   * as `<updatedAt>/<id>`, which stays exact if that session changes meanwhile.
   */
  async list(principal: Principal, { before, ...filter }: SessionFilter): Promise<readonly Session[]> {
    const { sessions } = this.#options;
    const [time, id] = before?.split('/') ?? [];
    const last = time !== undefined && maySee(principal, time) ? (await sessions.get(time))?.session : undefined;
    const from = last ? { before: last.updatedAt, beforeId: last.id } : { before: time, beforeId: id };
    const found = await sessions.list({ ...filter, ...from, ids: principal.sessions });
    return found.map(({ session }) => session);
  }

  /** Resolves when nothing runs any more but what waits for people. */
  async quiesce(): Promise<void> {
    for (;;) {
      const lives = await Promise.all(this.#live.values());
      if (!lives.some(({ isBusy }) => isBusy)) return;
      await sleep(20);
    }
  }

  /** Nothing is cancelled; what is open waits in the store for the next start (OPS3). */
  async stop(): Promise<void> {
    clearInterval(this.#sweeper);
    for (const loading of this.#live.values()) {
      const { session } = await loading;
      await session.retire();
    }
  }

  /** Lets go of sessions that nobody watches and nothing runs in. Whoever opened one a moment ago still has work with it. */
  async #evictIdle(): Promise<void> {
    const longAgo = performance.now() - idleMs;
    for (const [id, usedAt] of this.#usedAt) {
      if (usedAt > longAgo) continue;
      const live = await this.#live.get(id)?.catch(() => undefined); // whoever opened it hears why it could not be read
      if ((live && !live.isIdle) || (this.#usedAt.get(id) ?? 0) > longAgo) continue;
      this.#forget(id);
      await live?.session.cacheHead();
    }
  }

  async #find(id: SessionId): Promise<SessionRecord> {
    const record = await this.#options.sessions.get(id);
    if (!record) throw new RefusalError('not_found');
    return record;
  }

  #keep(id: SessionId, loading: Promise<WorkingSession>): void {
    this.#live.set(id, loading);
    this.#usedAt.set(id, performance.now());
    loading.catch(() => this.#forget(id));
  }

  #forget(id: SessionId): void {
    this.#live.delete(id);
    this.#usedAt.delete(id);
  }
}

interface NewSession {
  readonly title?: string | undefined;
  readonly agent: string;
  /** Another agent is power, which the audit shows (TEAM2). Default: true */
  readonly isDefaultAgent?: boolean;
  readonly permissionMode?: string | undefined;
  /** A program's name for it (ASK1). */
  readonly channel?: Channel;
  /** Whose doing it is, for the audit (SEC7). */
  readonly by?: Witness;
  /** What lets its client in (SEC9). */
  readonly credential?: Credential;
  readonly maker?: Maker;
}

/** The audit's row for a session that begins with more power than the usual one (SEC7). */
function openingOf(
  { createdAt: at, agent, permissionMode }: Session,
  isDefaultAgent: boolean,
  by: Witness | undefined,
): AuditChange | undefined {
  const unusual = { ...(permissionMode !== 'default' && { permissionMode }), ...(!isDefaultAgent && { agent }) };
  return Object.keys(unusual).length > 0 ? { event: 'session_changed', at, ...unusual, ...(by && { by }) } : undefined;
}
