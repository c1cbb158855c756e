import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerFrame, Session } from '@parleyhq/core';
import { Bundle, type Mutation } from '../support/bundle.ts';
import { makeFolder } from '../support/plugin-file.ts';
import { useInFile } from '../support/use-server.ts';
import { describeLog, readSession, type StoredSession } from './checked-log.ts';
import { check } from './checker.ts';
import type { Client } from './client.ts';
import { readEffects } from './effects.ts';
import { InboxClient } from './inbox-client.ts';
import type { Kill } from './kill.ts';
import { Link } from './link.ts';
import { TabClient } from './tab-client.ts';
import { EarlyEnd, VictimProcess } from './victim-process.ts';

/** What happens in one session. */
export interface Scenario {
  readonly tools: readonly string[];
  /** How many tabs are open; with none, an inbox client connects now and then. */
  readonly tabs: number;
  /** Where the victim kills itself. */
  readonly kill?: Kill | undefined;
  /** Or how long after the first message it is killed from outside. */
  readonly killAfterMs?: number | undefined;
  /** A second kill, of the next process: at a point, armed before recovery begins, or after a while. */
  readonly killAgain?: Kill | undefined;
  readonly killAgainAfterMs?: number | undefined;
  /** How long the scenario may take in all. */
  readonly patienceMs?: number;
}

const usualPatienceMs = 20_000;
const closingMs = 5000;

/** One data directory and its victims, one after the other: the process that ends a scenario begins the next. */
export class Harness {
  readonly #dataDir = makeFolder();
  readonly #mutation: Mutation | undefined;
  #program: Bundle | undefined;
  #victim: VictimProcess | undefined;

  /** @param mutation - a fault in the victims, for the checker to find */
  constructor(mutation?: Mutation) {
    this.#mutation = mutation;
  }

  async start(): Promise<void> {
    this.#program = await Bundle.make(new URL('victim.ts', import.meta.url), this.#mutation);
  }

  /**
   * Runs a scenario in a new session, through its kill, until the session is at rest.
   * @throws Error if a promise is broken, the session does not come to rest, or the kill's point is not reached
   */
  async run(scenario: Scenario): Promise<StoredSession> {
    const victim = await this.#open();
    const sessionId = await createSession(victim.port);
    const clients = await this.#invite(scenario.tabs, sessionId);
    const deadline = Date.now() + (scenario.patienceMs ?? usualPatienceMs);
    let hasEnded = false;
    try {
      if (scenario.kill) await victim.arm(scenario.kill);
      clients[0]?.say(randomUUID(), scenario.tools.map((tool) => `/call ${tool} {}`).join('\n'));
      if (scenario.killAfterMs !== undefined) await sleep(scenario.killAfterMs).then(() => victim.kill());
      if (scenario.kill) await this.#awaitDeath(victim, sessionId, deadline);
      const next = await this.#goOn(scenario);
      hasEnded = await this.#awaitRest(sessionId, clients, deadline);
      if (scenario.killAgain && next?.isAlive) throw new Error('The second point was not reached.');
    } finally {
      await Promise.all(clients.map((client) => client.leave()));
    }
    const resources = hasEnded ? await this.#heldResources() : [];
    const session = readSession(this.#dataDir, sessionId);
    check({ session, histories: clients, resources, effects: readEffects(join(this.#dataDir, 'effects.jsonl')) });
    if (!hasEnded) throw new Error(`The session did not come to rest:\n${describeLog(session.log)}`);
    return session;
  }

  async remove(): Promise<void> {
    await this.#victim?.kill();
    await this.#program?.remove();
  }

  async #open(kill?: Kill): Promise<VictimProcess> {
    if (!this.#program) throw new Error('the harness has not been started');
    if (!this.#victim?.isAlive) {
      this.#victim = await VictimProcess.start(this.#program.file, { dataDir: this.#dataDir, kill });
    }
    return this.#victim;
  }

  async #invite(tabs: number, sessionId: string): Promise<Client[]> {
    const port = () => this.#victim?.port ?? 0;
    const clients =
      tabs === 0
        ? [new InboxClient('inbox client', port, sessionId)]
        : Array.from({ length: tabs }, (_, n) => new TabClient(`tab ${n + 1}`, port, sessionId));
    await Promise.all(clients.map((client) => client.join()));
    return clients;
  }

  async #awaitDeath(victim: VictimProcess, sessionId: string, deadline: number): Promise<void> {
    while (victim.isAlive) {
      // If it hears us, it lives, and has passed its point if ever it will.
      const isOver = (await this.#isAtRest(sessionId, [])) && (await victim.arm({}));
      if (isOver || Date.now() > deadline) throw new Error('The point was not reached.');
      await Promise.race([victim.ended, sleep(20)]);
    }
    const signal = await victim.ended;
    if (signal !== 'SIGKILL') throw new Error(`The victim ended by ${signal}.`);
  }

  /** Starts the next victim, and kills it after a while if the scenario says so. Resolves with it if it came up. */
  async #goOn({ killAgain, killAgainAfterMs }: Scenario): Promise<VictimProcess | undefined> {
    try {
      const victim = await this.#open(killAgain);
      if (killAgainAfterMs !== undefined) await sleep(killAgainAfterMs).then(() => victim.kill());
      return victim;
    } catch (error) {
      if (killAgain && error instanceof EarlyEnd && error.signal === 'SIGKILL') return undefined;
      throw error;
    }
  }

  /** A second kill may come at any time before the end. Resolves with whether it comes. */
  async #awaitRest(sessionId: string, clients: readonly Client[], deadline: number): Promise<boolean> {
    for (await this.#open(); !(await this.#isAtRest(sessionId, clients)); await this.#open()) {
      if (Date.now() > deadline) return false;
      await sleep(10);
    }
    return true;
  }

  /** What the victim holds beside its listening socket and its pipes to us; connections need a moment to close. */
  async #heldResources(): Promise<readonly string[]> {
    const deadline = Date.now() + closingMs;
    for (;;) {
      const all = (await (await this.#open()).arm({})) ?? [];
      const held = all.filter((name) => !/^(TCPServer|Pipe|TTY)Wrap$/.test(name));
      if (held.length === 0 || Date.now() > deadline) return held;
      await sleep(5);
    }
  }

  /** Whether nothing is left to do in the session, and every client has seen all of it. */
  async #isAtRest(sessionId: string, clients: readonly Client[]): Promise<boolean> {
    const session = await findSession(this.#victim?.port ?? 0, sessionId).catch(() => undefined);
    if (!session || session.seq === 0 || session.status !== 'idle' || session.openCount > 0) return false;
    return clients.every((client) => client.hasSeen(session.seq));
  }
}

async function createSession(port: number): Promise<string> {
  let onReply: (sessionId: string) => void = () => undefined;
  const created = new Promise<string>((resolve) => {
    onReply = resolve;
  });
  const receive = (frame: ServerFrame) => {
    if (frame.type === 'reply' && frame.ok) onReply((frame.result as { session: Session }).session.id);
  };
  const { link } = await Link.open(port, 'author', receive, false);
  link.send({ type: 'create_session', requestId: 'create' });
  const sessionId = await created;
  await link.close();
  return sessionId;
}

async function findSession(port: number, sessionId: string): Promise<Session | undefined> {
  const { link, welcome } = await Link.open(port, 'author', () => undefined, false);
  await link.close();
  return welcome.sessions.find(({ id }) => id === sessionId);
}

/** One harness for the tests of a file. */
export function useHarness(): Harness {
  return useInFile(new Harness());
}
