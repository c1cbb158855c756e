import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChatEvent,
  type InboxEntry,
  type Instant,
  type InteractionId,
  maySee,
  type Principal,
  RefusalError,
  type Session,
  type SessionFilter,
  type SessionId,
  type SessionRecord,
  type Witness,
} from '@parleyhq/core';
import { LateAnswers } from '../call/late-answers.ts';
import { coverSessions } from '../grant/grant-cover.ts';
import type { Metrics } from '../log/metrics.ts';
import type { Runtime } from '../runtime.ts';
import { LiveSession } from '../session/live-session.ts';
import type { Client } from '../tabs/client.ts';
import { GrantNews } from '../tabs/grants-feed.ts';
import { Inbox } from '../tabs/inbox.ts';
import { RowNews } from '../tabs/session-list-feed.ts';
import { TurnRunner } from '../turn/turn-runner.ts';
import { Deadlines } from './deadlines.ts';
import { Presence } from './presence.ts';

/** A session in memory, with those who work on it. */
export interface Live {
  readonly session: LiveSession;
  readonly turns: TurnRunner;
  readonly late: LateAnswers;
}

/** A session that nobody used for this long leaves memory. */
const idleMs = 30_000;

/** No session has this id. */
const noSession = '';

/** After a deadline that could not be stored. */
const retryMs = 1000;

/** Live sessions, and who is attached. */
export class SessionHub {
  readonly runtime: Runtime;
  readonly inbox: Inbox;
  readonly presence: Presence;
  readonly clients = new Set<Client>();
  readonly #metrics: Metrics;
  readonly #deadlines: Deadlines;
  readonly #live = new Map<SessionId, Promise<Live>>();
  readonly #usedAt = new Map<SessionId, number>();
  /** Sessions that are on their way out: they are not loaded again. */
  readonly #deleting = new Set<SessionId>();
  readonly #sweeper: NodeJS.Timeout;
  /** Of the newest session. No two share it, for lists are paged by time. */
  #createdAt = 0;
  readonly #rows: RowNews;
  readonly #grants: GrantNews;

  constructor(
    base: Omit<
      Runtime,
      'onEvent' | 'onLimit' | 'onAppend' | 'onGrant' | 'onGrantsChange' | 'onRowChange' | 'availability'
    >,
    metrics: Metrics,
  ) {
    this.#metrics = metrics;
    this.presence = new Presence(this.clients, (id) => this.#live.get(id));
    this.inbox = new Inbox(this.clients);
    this.#rows = new RowNews(this.clients);
    this.#grants = new GrantNews(this.clients);
    this.#sweeper = setInterval(() => void this.#evictIdle(), idleMs).unref();
    this.#deadlines = new Deadlines((key, deadline) => void this.#expire(key, deadline));
    this.runtime = {
      ...base,
      availability: (id, audience) => this.presence.availability(id, audience),
      onEvent: (event) => this.#onEvent(event),
      onLimit: (limit) => metrics.reached(limit),
      onAppend: (seconds) => metrics.appendSeconds.observe(seconds),
      onGrant: (id) => void coverSessions(this.runtime, id === undefined ? this.#live.values() : [this.#live.get(id)]),
      onGrantsChange: (id) => this.#grants.changed(id),
      onRowChange: (row) => this.#rows.changed(row),
    };
  }

  /** Takes up what a stop or a kill left unfinished. To be called once, before clients come. */
  async recover(): Promise<void> {
    const unfinished: Live[] = [];
    for (const record of await this.runtime.store.sessions.list({ unfinished: true })) {
      const live = await this.#load(record);
      unfinished.push(live);
      for (const { request, expiresAt, state, timestamp } of live.session.head.prompts) {
        this.#metrics.openedBefore(record.session.id, request.interactionId, Date.parse(timestamp));
        this.inbox.add({
          sessionId: record.session.id,
          interaction: request,
          ...(state === 'pending' && { pending: true }),
        });
        if (expiresAt !== undefined) {
          const key = deadlineKey(record.session.id, request.interactionId);
          this.#deadlines.set(key, Date.parse(expiresAt), this.#leftMs(Date.parse(expiresAt), Date.parse(timestamp)));
        }
      }
    }
    for (const { late } of unfinished) late.recover();
    await Promise.all(unfinished.map(({ turns }) => turns.recover())); // their commits are one: a slow disk is waited for once
    this.runtime.onGrant(undefined); // a kill came between a grant and what it covers
  }

  /** For a principal: what it may not see is looked for like what is not there. @throws RefusalError `not_found` */
  openFor(principal: Principal, id: SessionId): Promise<Live> {
    return this.open(maySee(principal, id) ? id : noSession);
  }

  /** Whether it is being deleted: whoever holds it still is too late. */
  isLeaving(id: SessionId): boolean {
    return this.#deleting.has(id);
  }

  /** @throws RefusalError `not_found` */
  open(id: SessionId): Promise<Live> {
    if (this.#deleting.has(id)) return Promise.reject(new RefusalError('not_found'));
    this.#usedAt.set(id, performance.now());
    const known = this.#live.get(id);
    if (known) return known;
    const loading = this.#find(id).then((record) => this.#make(record));
    this.#live.set(id, loading);
    loading.catch(() => {
      this.#live.delete(id);
      this.#usedAt.delete(id);
    });
    return loading;
  }

  async create(wanted: {
    title?: string | undefined;
    agent?: string | undefined;
    permissionMode?: string | undefined;
  }): Promise<Session> {
    const { store, agents, newId } = this.runtime;
    const agent = agents.get(wanted.agent ?? agents.defaultName).name;
    this.#createdAt = Math.max(this.runtime.now(), this.#createdAt + 1);
    const now = new Date(this.#createdAt).toISOString();
    const session: Session = {
      id: newId(),
      title: wanted.title ?? 'New session',
      agent,
      permissionMode: wanted.permissionMode ?? 'default',
      status: 'idle',
      openCount: 0,
      createdAt: now,
      updatedAt: now,
      seq: 0,
    };
    await store.sessions.create(session);
    this.#rows.tell({ type: 'session_created', session });
    return session;
  }

  /** Everything open is settled, everybody hears of it, then all of it is gone (OPS5). */
  async delete(id: SessionId, by: Witness): Promise<void> {
    const opening = this.open(id);
    this.#deleting.add(id);
    try {
      const { session } = await opening;
      await session.perform({ type: 'end_session' }, { by });
      await session.flushed();
      session.outbox.clear();
      this.#live.delete(id);
      this.#usedAt.delete(id);
      this.#rows.forget(id);
      const at = new Date(this.runtime.now()).toISOString();
      await this.runtime.store.sessions.remove(id, { event: 'session_deleted', at, by });
      this.#rows.tell({ type: 'session_deleted', session: session.row });
    } finally {
      this.#deleting.delete(id);
    }
  }

  /** What a principal may see, newest first. `before` is an `updatedAt`, or the id of the last session that is known. */
  async list(principal: Principal, { before, ...filter }: SessionFilter): Promise<readonly Session[]> {
    const { sessions } = this.runtime.store;
    const last = before !== undefined && maySee(principal, before) ? await sessions.get(before) : undefined;
    const ids = principal.sessions;
    const found = await sessions.list({ ...filter, before: last?.session.updatedAt ?? before, ids });
    return found.map(({ session }) => session);
  }

  /** The inbox as a new client gets it. */
  listOpen(principal: Principal): readonly InboxEntry[] {
    return this.inbox.list().filter(({ sessionId }) => maySee(principal, sessionId));
  }

  admit(client: Client): void {
    this.clients.add(client);
    this.presence.count(client, 1);
    this.#metrics.connections.set(this.clients.size);
  }

  async dismiss(client: Client): Promise<void> {
    if (!this.clients.delete(client)) return;
    this.presence.count(client, -1);
    this.#metrics.connections.set(this.clients.size);
    for (const id of client.subscriptions.keys()) {
      const live = await this.#live.get(id);
      live?.session.outbox.remove(client);
      this.presence.changed(id);
    }
  }

  /** Lets go of sessions that nobody watches and nothing runs in. Whoever opened one a moment ago still has work with it. */
  async #evictIdle(): Promise<void> {
    const longAgo = performance.now() - idleMs;
    for (const [id, usedAt] of this.#usedAt) {
      if (usedAt > longAgo) continue;
      const live = await this.#live.get(id);
      const isInUse = live && !(live.session.isIdle && live.late.isEmpty);
      if (isInUse || (this.#usedAt.get(id) ?? 0) > longAgo) continue;
      this.#live.delete(id);
      this.#usedAt.delete(id);
      await live?.session.cacheHead();
    }
  }

  /** Resolves when nothing runs any more but what waits for people. */
  async quiesce(): Promise<void> {
    for (;;) {
      const lives = await Promise.all(this.#live.values());
      if (!lives.some(({ turns }) => turns.isBusy)) return;
      await sleep(20);
    }
  }

  /** Nothing is cancelled; what is open waits in the store for the next start (OPS3). */
  async stop(): Promise<void> {
    this.#deadlines.stop();
    this.#rows.stop();
    this.#grants.stop();
    clearInterval(this.#sweeper);
    this.presence.stop();
    for (const loading of this.#live.values()) {
      const { session } = await loading;
      await session.cacheHead();
    }
  }

  async #find(id: SessionId): Promise<SessionRecord> {
    const record = await this.runtime.store.sessions.get(id);
    if (!record) throw new RefusalError('not_found');
    return record;
  }

  #load(record: SessionRecord): Promise<Live> {
    const loading = this.#make(record);
    this.#live.set(record.session.id, loading);
    this.#usedAt.set(record.session.id, performance.now());
    return loading;
  }

  async #make(record: SessionRecord): Promise<Live> {
    const session = await LiveSession.load(this.runtime, record);
    const late = new LateAnswers(this.runtime, session);
    const turns = new TurnRunner(this.runtime, session, late);
    return { session, turns, late };
  }

  #onEvent(event: ChatEvent): void {
    this.#metrics.observe(event);
    this.inbox.observe(event);
    switch (event.type) {
      case 'interaction_request':
      case 'interaction_pending': {
        const { interactionId, expiresAt } = event.payload;
        const key = deadlineKey(event.sessionId, interactionId);
        if (expiresAt === undefined) this.#deadlines.delete(key);
        else this.#deadlines.set(key, Date.parse(expiresAt), Date.parse(expiresAt) - this.runtime.now());
        if ('grantKey' in event.payload) this.runtime.onGrant(event.sessionId); // which may have come while this was asked
        break;
      }
      case 'interaction_response':
      case 'interaction_closed':
        this.#deadlines.delete(deadlineKey(event.sessionId, event.payload.interactionId));
        break;
      default:
    }
  }

  /** After a start: only the clock knows how long nothing ran. Where it was set back, nobody gets more time than at first. */
  #leftMs(deadline: Instant, openedAt: Instant): number {
    const leftMs = Math.min(deadline - this.runtime.now(), deadline - openedAt);
    return Math.max(leftMs, this.runtime.durations.restartGraceMs);
  }

  async #expire(key: string, deadline: Instant): Promise<void> {
    const [sessionId, interactionId] = splitKey(key);
    try {
      const { session } = await this.open(sessionId);
      await session.perform({ type: 'expire', interactionId, deadline });
    } catch (error) {
      this.runtime.log.warn({ sessionId, interactionId, error }, 'a deadline could not be stored: trying again');
      this.#deadlines.set(key, deadline, retryMs);
    }
  }
}

/** Neither id has a space in it. */
function deadlineKey(sessionId: SessionId, interactionId: InteractionId): string {
  return `${sessionId} ${interactionId}`;
}

function splitKey(key: string): [SessionId, InteractionId] {
  const space = key.indexOf(' ');
  return [key.slice(0, space), key.slice(space + 1)];
}
