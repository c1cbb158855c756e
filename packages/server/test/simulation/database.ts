import type { Append, Json, LeasedNode, SessionRecord, Store, StoreChange } from '@parleyhq/core';
import { StoreError } from '@parleyhq/core';
import { openMemoryStore } from '../../src/testing/memory-store.ts';
import type { Random } from '../support/random.ts';
import { makeOwner, type Owner, type Scheduler } from './scheduler.ts';

/** What can go wrong between the nodes and their database, as probabilities. */
export interface Weather {
  /** A statement or its reply is lost. */
  readonly lostCalls: number;
  readonly lostNews: number;
  readonly doubledNews: number;
  readonly lostMessages: number;
}

/** A node's connection to the database. */
export interface Line {
  readonly owner: Owner;
  /** Whether the connection is cut. */
  readonly isCut: () => boolean;
  /** Writes to send once its last transaction has ended. */
  readonly waiting: Call[];
  isWriting: boolean;
}

interface Call {
  readonly run: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Noted {
  readonly news: StoreChange;
  /** The node that stored it, and whether it knows that. */
  readonly by: Line;
  isConfirmed: boolean;
}

/** In ms. */
const pollMs = 1000;
const slowestMs = 12;
/** How long a node waits for a reply that does not come. */
const deadlineMs = 1500;

const reads = /^(read|get|list|find|records|channelsOf|listCalls|has|people|count)/;

/**
 * A store in memory behind a network, for several nodes: each call takes its time, the writes of a node keep their order, and
 * lost calls are reported as failures, whether they were stored or not.
 */
export class SimulatedDatabase {
  readonly store: Store = openMemoryStore();
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #weather: Weather;
  readonly #self = makeOwner('database');
  readonly #nodes = new Map<string, { until: number; details: Json }>();
  readonly #noted: Noted[] = [];
  readonly #listeners = new Map<Line, () => void>();
  readonly #hearers = new Map<Line, (message: Json) => void>();
  readonly #broken = new WeakSet<object>();
  readonly #heardUntil = new Map<Line, number>();
  /** Ids of the nodes, known once they have renewed their lease. */
  readonly #ids = new Map<Line, string>();
  /** Nodes that stored events, by session and seq. */
  readonly #writers = new Map<string, string | undefined>();

  constructor(scheduler: Scheduler, random: Random, weather: Weather) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#weather = weather;
  }

  /** Returns the node that stored an event. */
  writerOf(sessionId: string, seq: number): string | undefined {
    return this.#writers.get(`${sessionId} ${seq}`);
  }

  /** Opens the store for one node. */
  open(line: Line): Store {
    const { store } = this;
    const port = <Name extends keyof Store>(name: Name) => this.#portOf(line, store[name] as object) as Store[Name];
    return {
      epoch: store.epoch,
      isRewound: false,
      events: this.#eventsOf(line),
      sessions: this.#sessionsOf(line),
      heads: port('heads'),
      index: port('index'),
      grants: port('grants'),
      pluginState: port('pluginState'),
      logins: port('logins'),
      tokens: port('tokens'),
      audit: port('audit'),
      outside: port('outside'),
      devices: port('devices'),
      links: port('links'),
      passkeys: port('passkeys'),
      deliveries: port('deliveries'),
      statistics: store.statistics,
      shared: {
        follow: (onNews) => this.#follow(line, onNews),
        renew: (node, leaseMs) => {
          this.#ids.set(line, node.id);
          return this.#call(line, false, async () => this.#renew(node, leaseMs));
        },
        readClock: () => this.#call(line, false, async () => this.#scheduler.clock),
        replaced: new Promise(() => {}),
        leave: (id) => this.#call(line, false, async () => void this.#nodes.delete(id)),
      },
      bus: {
        publish: (message) => this.#publish(line, JSON.parse(JSON.stringify(message))),
        subscribe: (onMessage) => this.#call(line, false, async () => void this.#hearers.set(line, onMessage)),
      },
      close: async () => {},
    };
  }

  #portOf(line: Line, port: object): object {
    return new Proxy(port, {
      get: (target, method) => {
        const original: unknown = Reflect.get(target, method, target);
        if (typeof original !== 'function') return original;
        const isWrite = !reads.test(String(method));
        return (...args: unknown[]) => this.#call(line, isWrite, () => Reflect.apply(original, target, args));
      },
    });
  }

  #eventsOf(line: Line): Store['events'] {
    const { events } = this.store;
    const call = <T>(isWrite: boolean, run: () => Promise<T>) => this.#call(line, isWrite, run);
    return {
      append: async (change) => {
        const { sessionId, expectedSeq, events: added } = change;
        const noted = await this.#ofLineage(line, change, async () => {
          await events.append(change);
          for (const { seq } of added) this.#writers.set(`${sessionId} ${seq}`, this.#ids.get(line));
          return added.length > 0
            ? this.#note(line, { what: 'changed', sessionId, seq: expectedSeq + added.length })
            : undefined;
        });
        if (noted) noted.isConfirmed = true;
      },
      async *read(...place) {
        const texts = await call(false, async () => {
          const found: string[] = [];
          for await (const chunk of events.read(...place)) found.push(...chunk);
          return found;
        });
        if (texts.length > 0) yield texts;
      },
    };
  }

  /** Refuses an append that is based on a failed one as a conflict, however late the node learns of the failure. */
  #ofLineage<T>(line: Line, { lineage }: Append, run: () => Promise<T>): Promise<T> {
    const isBroken = () => lineage !== undefined && this.#broken.has(lineage);
    const written = this.#call(line, true, async () => {
      if (isBroken()) throw new StoreError('conflict', 'what it was decided on failed');
      return run().catch((error: unknown) => {
        if (lineage) this.#broken.add(lineage);
        throw error;
      });
    });
    written.catch(() => lineage && this.#broken.add(lineage));
    return written;
  }

  #sessionsOf(line: Line): Store['sessions'] {
    const { sessions } = this.store;
    const call = <T>(run: () => Promise<T>) => this.#call(line, false, run);
    return {
      get: (id) => this.#call(line, false, () => sessions.get(id)),
      list: (filter) => this.#call(line, false, () => sessions.list(filter)),
      async *unfinished() {
        yield await call(async () => {
          const found: SessionRecord[] = [];
          for await (const records of sessions.unfinished()) found.push(...records);
          return found;
        });
      },
      create: (session, creation) =>
        this.#call(line, true, async () => {
          await sessions.create(session, creation);
          this.#note(line, { what: 'created', session });
        }),
      remove: (id, ...rest) =>
        this.#call(line, true, async () => {
          const found = await sessions.get(id);
          await sessions.remove(id, ...rest);
          if (found) this.#note(line, { what: 'deleted', session: found.session });
        }),
    };
  }

  /** Sends a statement and its reply over the network. Nothing of an ended node arrives. */
  #call<T>(line: Line, isWrite: boolean, run: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const write = { run: run as () => Promise<unknown>, resolve: resolve as (value: unknown) => void, reject };
      if (!isWrite) return this.#send(line, [write], () => {});
      const { waiting } = line;
      waiting.push(write);
      if (!line.isWriting) this.#drain(line);
    });
  }

  /** Like the real database: a node writes in one transaction what was queued during the last one. */
  #drain(line: Line): void {
    line.isWriting = line.waiting.length > 0;
    if (line.isWriting) this.#send(line, line.waiting.splice(0), () => this.#drain(line));
  }

  #send(line: Line, calls: readonly Call[], onDone: () => void): void {
    const { owner } = line;
    if (owner.isDead) return;
    const scheduler = this.#scheduler;
    const soon = () => scheduler.now + this.#random.next() * slowestMs;
    const settle = (settleAll: () => void) => {
      settleAll();
      onDone();
    };
    const fail = () => {
      const lost = new StoreError('failed', 'the connection was lost');
      const rejectAll = () => {
        for (const { reject } of calls) reject(lost);
      };
      scheduler.after(deadlineMs, owner, () => settle(rejectAll));
    };
    const isLost = () => line.isCut() || this.#random.next() < this.#weather.lostCalls;
    scheduler.at(soon(), this.#self, async () => {
      if (isLost()) return fail();
      const outcomes: PromiseSettledResult<unknown>[] = [];
      for (const { run } of calls) outcomes.push(...(await Promise.allSettled([run()])));
      if (isLost()) return fail();
      scheduler.at(soon(), owner, () =>
        settle(() =>
          outcomes.forEach((outcome, n) => {
            if (outcome.status === 'fulfilled') calls[n]?.resolve(outcome.value);
            else calls[n]?.reject(outcome.reason);
          }),
        ),
      );
    });
  }

  #note(by: Line, news: StoreChange): Noted {
    const noted = { news, by, isConfirmed: false };
    this.#noted.push(noted);
    for (const [line, look] of this.#listeners) {
      if (line === by || line.isCut() || this.#random.next() < this.#weather.lostNews) continue;
      this.#scheduler.after(this.#random.next() * slowestMs, line.owner, look);
    }
    return noted;
  }

  /** Like the real database: a notification only wakes, and changes are read every second anyway. */
  async #follow(line: Line, onNews: (news: readonly StoreChange[]) => void): Promise<void> {
    let seen = await this.#call(line, false, async () => this.#noted.length);
    let isLooking = false;
    let isStale = false;
    const look = async () => {
      isStale = true;
      if (isLooking) return;
      isLooking = true;
      while (isStale) {
        isStale = false;
        const from = seen;
        // the next read finds it
        const found = await this.#call(line, false, async () => this.#noted.slice(from)).catch(() => undefined);
        if (!found) break;
        seen = from + found.length;
        const news = found.filter(({ by, isConfirmed }) => by !== line || !isConfirmed).map((noted) => noted.news);
        if (news.length === 0) continue;
        onNews(news);
        if (this.#random.next() < this.#weather.doubledNews) onNews(news);
      }
      isLooking = false;
    };
    this.#listeners.set(line, () => void look());
    setInterval(() => void look(), pollMs);
  }

  /** Renews a lease by the clock of the database. */
  #renew({ id, details }: LeasedNode, leaseMs: number): LeasedNode[] {
    const { now } = this.#scheduler;
    this.#nodes.set(id, { until: now + leaseMs, details });
    return [...this.#nodes].flatMap(([other, { until, details: its }]) =>
      until > now ? [{ id: other, details: JSON.parse(JSON.stringify(its)) as Json }] : [],
    );
  }

  #publish(from: Line, message: Json): void {
    if (from.owner.isDead) return;
    const { now } = this.#scheduler;
    for (const [line, hear] of this.#hearers) {
      if (line === from || line.isCut() || from.isCut() || this.#random.next() < this.#weather.lostMessages) continue;
      const at = Math.max(now + this.#random.next() * slowestMs, this.#heardUntil.get(line) ?? 0); // in the order of the calls
      this.#heardUntil.set(line, at);
      this.#scheduler.at(at, line.owner, () => hear(message));
    }
  }
}
