import type { Session } from '@parleyhq/core';
import type { LoggedEvent, StoredSession } from '../kill-nine/checked-log.ts';
import { check } from '../kill-nine/checker.ts';
import { TabClient } from '../kill-nine/tab-client.ts';
import { randomTools } from '../kill-nine/tools.ts';
import { Random } from '../support/random.ts';
import { checkRunners } from './check-runners.ts';
import { SimulatedDatabase, type Weather } from './database.ts';
import { EffectBook } from './effect-book.ts';
import { SimulatedNode } from './node.ts';
import { makeOwner, Scheduler } from './scheduler.ts';
import { drawFaults, type Fault, makeWeather, troubleMs } from './trouble.ts';

/** Time limit of a world, in ms of the simulation. */
const patienceMs = 900_000;

/** Options that are otherwise drawn from the seed. */
export interface WorldOptions {
  readonly weather?: Partial<Weather>;
  /** Kinds of faults; six of them are drawn. */
  readonly faults?: readonly Fault['kind'][];
}

export interface WorldReport {
  readonly histories: number;
  readonly steps: number;
  /** The history without ids: the same for the same seed. */
  readonly trace: string;
}

interface TimedEvent extends LoggedEvent {
  readonly timestamp: string;
}

interface TimedSession extends StoredSession {
  readonly log: readonly TimedEvent[];
}

interface Story {
  readonly sessionId: string;
  readonly tabs: readonly TabClient[];
}

/**
 * Runs a world: several nodes on one database, sessions with people at tabs of all of them, and faults of network, machines and
 * clocks, all from one seed. After the faults everything comes to rest, and each session's history is checked.
 * @throws Error naming every broken promise
 */
export async function playWorld(seed: number, sessions: number, options: WorldOptions = {}): Promise<WorldReport> {
  return new World(seed, options).play(sessions);
}

class World {
  readonly #random: Random;
  readonly #people = makeOwner('people');
  readonly #scheduler = new Scheduler(this.#people);
  readonly #effects = new EffectBook();
  readonly #database: SimulatedDatabase;
  readonly #nodes: readonly SimulatedNode[];
  readonly #stories: Story[] = [];
  readonly #faults: WorldOptions['faults'];
  #isOver = false;
  #fault: unknown;

  constructor(seed: number, { weather, faults }: WorldOptions) {
    const random = new Random(seed);
    this.#random = random;
    this.#faults = faults;
    this.#database = new SimulatedDatabase(this.#scheduler, random, { ...makeWeather(random), ...weather });
    const deathsInTools = random.below(2) ? random.next() * 0.02 : 0;
    const shared = {
      ...{ scheduler: this.#scheduler, random, database: this.#database, effects: this.#effects },
      hibernates: seed % 2 === 0,
      hibernateAfterMs: [5, 100, 60_000][seed % 3] as number,
    };
    this.#nodes = Array.from(
      { length: 2 + random.below(2) },
      (_, n) => new SimulatedNode({ ...shared, name: `node ${n + 1}`, deathsInTools }),
    );
  }

  async play(sessions: number): Promise<WorldReport> {
    this.#nodes.forEach((node, n) => {
      this.#at(10 * n, () => node.start());
    });
    for (let n = 0; n < sessions; n += 1) this.#at(100 + this.#random.below(5000), () => this.#tell());
    for (const fault of drawFaults(this.#random, this.#nodes, this.#faults)) {
      this.#at(fault.from, fault.begin);
      this.#at(fault.from + fault.lasts, fault.end);
    }
    this.#watch(sessions);
    await this.#scheduler.play(() => this.#isOver, patienceMs);
    if (this.#fault) throw this.#fault;
    const trace: string[] = [];
    for (const { sessionId, tabs } of this.#stories) {
      const session = await this.#read(sessionId);
      check({ session, histories: tabs, effects: this.#effects.all, resources: [] });
      checkRunners(session.log, (seq) => this.#database.writerOf(sessionId, seq));
      trace.push(session.log.map(({ seq, type, timestamp }) => `${seq} ${type} ${timestamp}`).join('\n'));
    }
    if (!this.#isOver) throw new Error('it did not come to rest');
    return { histories: sessions, steps: this.#scheduler.steps, trace: trace.join('\n\n') };
  }

  #at(ms: number, run: () => unknown): void {
    this.#scheduler.after(ms, this.#people, () => {
      Promise.resolve(run()).catch((error) => {
        this.#fault ??= error;
        this.#isOver = true;
      });
    });
  }

  /** Runs one session: people at several nodes who send messages, answer, and sometimes stop the turn. */
  async #tell(): Promise<void> {
    const sessionId = await this.#createSession();
    const random = this.#random;
    const tabs = Array.from({ length: 1 + random.below(3) }, (_, n) => {
      const owner = this.#people;
      let home = random.pick(this.#nodes);
      return new TabClient(`tab ${n + 1}`, sessionId, (who, onFrame) => {
        if (!home.isServing || random.below(4) === 0) home = random.pick(this.#nodes);
        return home.connect(who, onFrame, owner);
      });
    });
    this.#stories.push({ sessionId, tabs });
    await Promise.all(tabs.map((tab) => tab.join()));
    const messages = 1 + random.below(2);
    for (let n = 0; n < messages; n += 1) {
      const called = Array.from({ length: 1 + random.below(3) }, () => random.pick(randomTools));
      const text = called.map((tool) => `/call ${tool} {}`).join('\n');
      const at = random.below(10_000);
      this.#at(at, () => random.pick(tabs).say(`message ${n}`, text));
      if (random.below(4) === 0) this.#at(at + random.below(50), () => random.pick(tabs).say(`message ${n}`, text)); // sent again, maybe to another node
    }
    if (random.below(4) === 0) this.#at(random.below(10_000), () => random.pick(tabs).cancelTurn());
  }

  /** Creates a session at any node that is running. */
  async #createSession(): Promise<string> {
    for (let n = 1; ; n += 1) {
      const id = await this.#tryToCreate(`create ${n}`).catch(() => undefined);
      if (id !== undefined) return id;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async #tryToCreate(requestId: string): Promise<string | undefined> {
    let onId: (id: string | undefined) => void = () => {};
    const created = new Promise<string | undefined>((resolve) => {
      onId = resolve;
    });
    const { link } = await this.#random.pick(this.#nodes).connect(
      'author',
      (frame) => {
        if (frame.type !== 'reply') return;
        onId(frame.ok ? (frame.result as { session: Session }).session.id : undefined);
      },
      this.#people,
    );
    link.send({ type: 'create_session', requestId });
    const id = await Promise.race([created, link.closed.then(() => undefined)]);
    await link.close();
    return id;
  }

  /** Restarts ended nodes, and detects when everything is done. */
  #watch(sessions: number): void {
    const look = async () => {
      for (const node of this.#nodes) if (node.owner.isDead) node.start();
      if (this.#stories.length === sessions && (await this.#isAtRest())) this.#isOver = true;
      else this.#at(500, look);
    };
    this.#at(troubleMs, look);
  }

  async #isAtRest(): Promise<boolean> {
    if (!this.#nodes.every((node) => node.isServing)) return false;
    const { store } = this.#database;
    for (const { sessionId, tabs } of this.#stories) {
      const session = (await store.sessions.get(sessionId))?.session;
      if (!session || session.seq === 0 || session.status !== 'idle' || session.openCount > 0) return false;
      if (!tabs.every((tab) => tab.hasSeen(session.seq))) return false;
    }
    return true;
  }

  async #read(sessionId: string): Promise<TimedSession> {
    const { store } = this.#database;
    const row = (await store.sessions.get(sessionId))?.session;
    if (!row) throw new Error(`there is no session ${sessionId}`);
    const log: TimedEvent[] = [];
    for await (const texts of store.events.read(sessionId, 0)) log.push(...texts.map((text) => JSON.parse(text)));
    const calls = log.flatMap(({ type, payload }) => (type === 'tool_call' ? [String(payload.toolCallId)] : []));
    const records: string[] = [];
    for (const call of calls)
      records.push(...(await store.index.records(sessionId, call)).map(({ toolCallId }) => toolCallId));
    const grants = (await store.grants.list(this.#scheduler.clock)).filter((grant) => grant.sessionId === sessionId);
    return {
      row: { seq: row.seq, openCount: row.openCount, status: row.status },
      log,
      rows: log.map((_, index) => index + 1),
      records,
      grants: grants.map(({ id, key, uses }) => ({ id, key, uses })),
    };
  }
}
