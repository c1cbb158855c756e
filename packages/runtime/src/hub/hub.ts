import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type AuditActor,
  type AuditChange,
  asksNobody,
  authorityOf,
  type Channel,
  type Credential,
  maySee,
  type Principal,
  RefusalError,
  type Seq,
  type ServerFrameOf,
  type Session,
  type SessionFilter,
  type SessionId,
  type SessionOwner,
  type SessionRecord,
  type SessionStore,
} from '@parleyhq/core';
import type { Durations } from '../node/durations.ts';
import { newId } from '../node/new-id.ts';
import type { Node } from '../node/node.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { Channels } from './channels.ts';
import type { LeftSessions } from './left-sessions.ts';
import type { SessionRuntime } from './session-runtime.ts';

/** Publishes which sessions exist. */
export interface SessionLists {
  broadcast(frame: ServerFrameOf<'session_created' | 'session_updated' | 'session_deleted'>): void;
  /** Forgets the pending change of a deleted session. */
  forget(id: SessionId): void;
}

export interface HubOptions {
  readonly sessions: SessionStore;
  readonly load: (record: SessionRecord) => Promise<SessionRuntime>;
  readonly lists: SessionLists;
  readonly left: LeftSessions;
  readonly node: Pick<Node, 'now'>;
  /** In ms: how long after a login its holder may take the riskiest actions (SEC9). */
  readonly freshLoginMs: number;
  /** Called after a session was deleted from the store. */
  readonly forget: (id: SessionId) => Promise<void>;
  readonly channels: Pick<Channels, 'add' | 'remove'>;
  readonly durations: Pick<Durations, 'hibernateAfterMs' | 'sessionIdleMs'>;
}

/** Details of a deletion. */
interface Deletion {
  /** The actor that deleted it; undefined when retention did (OPS6). */
  readonly by?: AuditActor;
  readonly credential?: Credential | undefined;
  /** End of the log on which the decision was based. */
  readonly seq?: Seq;
}

/** The sessions in memory; each is loaded once, however many clients ask for it. */
export class SessionHub {
  readonly #options: HubOptions;
  readonly #runtimes = new Map<SessionId, Promise<SessionRuntime>>();
  readonly #usedAt = new Map<SessionId, number>();
  #sweeper: NodeJS.Timeout | undefined;
  #hasStopped = false;
  /** Creation time of the newest session. It is unique, because lists are paged by time. */
  #createdAt = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#sweepSoon();
  }

  /**
   * Loads the sessions that a stop or a kill left unfinished; `SessionRuntime.recover` resumes their work. To be called once,
   * before clients come.
   */
  async recover(): Promise<void> {
    for await (const records of this.#options.sessions.unfinished()) {
      for (const record of records) {
        if (this.#options.left.announce(record, () => this.#examine(record.session.id))) continue;
        const loading = this.#options.load(record);
        this.#keep(record.session.id, loading);
        (await loading).session.announce();
      }
    }
  }

  /** Examines what an earlier process left in a session that was announced as it is stored; if all of it sleeps, it leaves memory again. */
  async #examine(id: SessionId): Promise<void> {
    await nextTurn(); // thousands may follow one another
    if (this.#hasStopped || this.#runtimes.has(id)) return; // whoever opened it had it examined
    const examined = this.#find(id).then(async (record) => {
      const runtime = await this.#options.load(record);
      return { runtime, looked: runtime.examine() };
    });
    this.#keep(
      id,
      examined.then(({ runtime }) => runtime),
    );
    const usedAt = this.#usedAt.get(id);
    const found = await examined.catch(() => undefined); // it was deleted, or cannot be read: the next to open it examines it
    await found?.looked;
    if (found?.runtime.mayLeave && this.#usedAt.get(id) === usedAt) await this.#evict(id, found.runtime);
  }

  /**
   * Opens a session for a principal. A session that it may not see is refused like one that does not exist.
   * @throws RefusalError `not_found`
   */
  async openFor(principal: Principal, id: SessionId): Promise<SessionRuntime> {
    if (maySee(principal, id)) return this.open(id);
    // read even if it belongs to somebody else, so that the response time does not reveal it
    const record = await this.#options.sessions.get(id);
    const channel = record?.session.channel;
    if (channel) await this.#options.channels.add(channel, id); // created a moment ago
    if (maySee(principal, id)) return this.open(id);
    throw new RefusalError('not_found');
  }

  /** @throws RefusalError `not_found` */
  open(id: SessionId): Promise<SessionRuntime> {
    const known = this.#runtimes.get(id);
    if (known) {
      this.#usedAt.set(id, performance.now());
      return known;
    }
    const loading = this.#find(id).then((record) => this.#load(record));
    this.#keep(id, loading);
    return loading;
  }

  /** Publishes a session that was stored. */
  async add(session: Session): Promise<void> {
    const { channels, lists } = this.#options;
    if (session.channel) await channels.add(session.channel, session.id);
    lists.broadcast({ type: 'session_created', session });
  }

  /** Forgets a session that was deleted from the store, and publishes that. */
  async remove(session: Session): Promise<void> {
    const { lists, channels, forget } = this.#options;
    const { id } = session;
    this.#forget(id);
    lists.forget(id);
    lists.broadcast({ type: 'session_deleted', session });
    if (session.channel) await channels.remove(session.channel, id);
    await forget(id);
  }

  /**
   * Loads a session. If others store events, too, those with open prompts or a turn stay in memory, so if a newly loaded one has
   * any, no follower knows of them. Otherwise its turn, if there is one, was asleep when the session left memory.
   */
  async #load(record: SessionRecord): Promise<SessionRuntime> {
    const runtime = await this.#options.load(record);
    if (runtime.session.missed.arePossible) runtime.session.announce({ isRecovered: false });
    else runtime.turns.lieDown();
    return runtime;
  }

  /** Number of sessions in memory. */
  get size(): number {
    return this.#runtimes.size;
  }

  /** Returns the sessions in memory, or the one with this id. */
  loaded(id?: SessionId): readonly Promise<SessionRuntime>[] {
    if (id === undefined) return [...this.#runtimes.values()];
    const runtime = this.#runtimes.get(id);
    return runtime ? [runtime] : [];
  }

  /** Stores a new session and notifies everybody who may see it. */
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
    const { sessions, node, freshLoginMs } = this.#options;
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
    await this.add(session);
    return session;
  }

  /**
   * Settles and publishes everything open, then deletes the session; whatever arrives meanwhile finds an ended session (OPS5).
   * @throws StoreError `conflict` if the log does not end at `seq`
   */
  async delete(session: SessionWriter, { by, credential, seq }: Deletion): Promise<void> {
    const { sessions, node } = this.#options;
    const { id } = session;
    await session.end({ ...(by && { by }), credential }, () => {
      const now = node.now();
      const deletion = { event: 'session_deleted', at: new Date(now).toISOString(), ...(by && { by }) } as const;
      return sessions.remove(id, deletion, { authority: credential && { credential, now }, seq });
    });
    await this.remove(session.row);
  }

  /**
   * Lists the sessions that a principal may see, newest first. `before` is an `updatedAt`, the id of the last known session, or
   * both as `<updatedAt>/<id>`, which stays exact if that session changes meanwhile.
   */
  async list(principal: Principal, { before, ...filter }: SessionFilter): Promise<readonly Session[]> {
    const { sessions } = this.#options;
    const [time, id] = before?.split('/') ?? [];
    const last = time !== undefined && maySee(principal, time) ? (await sessions.get(time))?.session : undefined;
    const from = last ? { before: last.updatedAt, beforeId: last.id } : { before: time, beforeId: id };
    const found = await sessions.list({ ...filter, ...from, ids: principal.sessions });
    return found.map(({ session }) => session);
  }

  /** Resolves when nothing runs except what waits for people. */
  async quiesce(): Promise<void> {
    for (;;) {
      const runtimes = await Promise.all(this.#runtimes.values());
      if (!runtimes.some(({ isBusy }) => isBusy)) return;
      await sleep(20);
    }
  }

  /** Retires all sessions. Nothing is cancelled; open prompts wait in the store for the next start (OPS3). */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    clearTimeout(this.#sweeper);
    for (const loading of this.#runtimes.values()) {
      const { session } = await loading;
      await session.retire();
    }
  }

  /** One timer for all sessions: they leave memory a little later than they could, and none needs a timer of its own. */
  #sweepSoon(): void {
    if (this.#hasStopped) return;
    const { hibernateAfterMs, sessionIdleMs } = this.#options.durations;
    const sweep = () => this.#sweep().finally(() => this.#sweepSoon());
    this.#sweeper = setTimeout(sweep, Math.min(hibernateAfterMs, sessionIdleMs)).unref();
  }

  async #sweep(): Promise<void> {
    for (const loading of this.#runtimes.values()) {
      const runtime = await loading.catch(() => undefined); // whoever opened it receives the error
      await runtime?.hibernate(this.#options.durations.hibernateAfterMs);
    }
    await this.#evictIdle();
  }

  /**
   * Evicts sessions that nobody watches and in which nothing is awake. Recently opened ones stay, because whoever opened them still
   * needs them.
   */
  async #evictIdle(): Promise<void> {
    const longAgo = performance.now() - this.#options.durations.sessionIdleMs;
    for (const [id, usedAt] of this.#usedAt) {
      if (usedAt > longAgo) continue;
      const runtime = await this.#runtimes.get(id)?.catch(() => undefined); // whoever opened it receives the error
      if ((runtime && !runtime.mayLeave) || (this.#usedAt.get(id) ?? 0) > longAgo) continue;
      await this.#evict(id, runtime);
    }
  }

  async #evict(id: SessionId, runtime: SessionRuntime | undefined): Promise<void> {
    this.#forget(id);
    await runtime?.leave();
  }

  async #find(id: SessionId): Promise<SessionRecord> {
    const record = await this.#options.sessions.get(id);
    if (!record) throw new RefusalError('not_found');
    return record;
  }

  #keep(id: SessionId, loading: Promise<SessionRuntime>): void {
    this.#runtimes.set(id, loading);
    this.#usedAt.set(id, performance.now());
    loading.catch(() => this.#forget(id));
  }

  #forget(id: SessionId): void {
    this.#runtimes.delete(id);
    this.#usedAt.delete(id);
  }
}

interface NewSession {
  readonly title?: string | undefined;
  readonly agent: string;
  /** Whether the agent is the default; choosing another one grants power, which the audit records (TEAM2). Default: true */
  readonly isDefaultAgent?: boolean;
  readonly permissionMode?: string | undefined;
  /** Name that a program gave the session (ASK1). */
  readonly channel?: Channel;
  /** Actor for the audit (SEC7). */
  readonly by?: AuditActor;
  /** Credential of the client (SEC9). */
  readonly credential?: Credential;
  readonly maker?: SessionOwner;
}

/** Returns the audit row for a session that begins with more power than usual (SEC7). */
function openingOf(
  { createdAt: at, agent, permissionMode }: Session,
  isDefaultAgent: boolean,
  by: AuditActor | undefined,
): AuditChange | undefined {
  const unusual = { ...(permissionMode !== 'default' && { permissionMode }), ...(!isDefaultAgent && { agent }) };
  return Object.keys(unusual).length > 0 ? { event: 'session_changed', at, ...unusual, ...(by && { by }) } : undefined;
}
