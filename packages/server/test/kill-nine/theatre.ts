import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerFrame, Session } from '@parleyhq/core';
import { Bundle, type Mutation } from './bundle.ts';
import { describeLog, readSession, type StoredSession } from './checked-log.ts';
import { check } from './checker.ts';
import { readEffects } from './effects.ts';
import type { Kill } from './kill.ts';
import { Line } from './line.ts';
import type { Person } from './person.ts';
import { Tab } from './tab.ts';
import { EarlyEnd, VictimProcess } from './victim-process.ts';
import { Visitor } from './visitor.ts';

/** How a story goes. */
export interface Plot {
  readonly tools: readonly string[];
  /** How many tabs are attached: with none, somebody looks in now and then. */
  readonly tabs: number;
  /** Told to the victim before the story begins. */
  readonly kill?: Kill | undefined;
  /** Or from outside, so long after its beginning. */
  readonly killAfterMs?: number | undefined;
  /** The next process is killed, too: at a point, armed before it takes anything up, or after so long. */
  readonly killAgain?: Kill | undefined;
  readonly killAgainAfterMs?: number | undefined;
  /** How long it may take in all. */
  readonly patienceMs?: number;
}

const usualPatienceMs = 20_000;
const closingMs = 5000;

/** One data directory and its victims, one after the other: the start that ends a story begins the next one. */
export class Theatre {
  readonly #program: Bundle;
  readonly #dataDir: string;
  #victim: VictimProcess | undefined;

  private constructor(program: Bundle, dataDir: string) {
    this.#program = program;
    this.#dataDir = dataDir;
  }

  /** @param mutations - faults in its victims, for the checker to find */
  static async open(mutations: readonly Mutation[] = []): Promise<Theatre> {
    const program = await Bundle.make('victim.ts', mutations);
    return new Theatre(program, await mkdtemp(join(tmpdir(), 'parley-kill-')));
  }

  /**
   * Plays a story in a session of its own, through its kill, to its end.
   * @throws Error where an invariant is broken, it does not come to an end, or the point was not reached
   */
  async play(plot: Plot): Promise<StoredSession> {
    const victim = await this.#open();
    const sessionId = await createSession(victim.port);
    const people = await this.#invite(plot.tabs, sessionId);
    const deadline = Date.now() + (plot.patienceMs ?? usualPatienceMs);
    let hasEnded = false;
    try {
      if (plot.kill) await victim.arm(plot.kill);
      people[0]?.say(randomUUID(), plot.tools.map((tool) => `/call ${tool} {}`).join('\n'));
      if (plot.killAfterMs !== undefined) await sleep(plot.killAfterMs).then(() => victim.kill());
      if (plot.kill) await this.#awaitDeath(victim, sessionId, deadline);
      const next = await this.#goOn(plot);
      hasEnded = await this.#awaitRest(sessionId, people, deadline);
      if (plot.killAgain && next?.isAlive) throw new Error('The second point was not reached.');
    } finally {
      await Promise.all(people.map((person) => person.leave()));
    }
    const resources = hasEnded ? await this.#heldResources() : [];
    const session = readSession(this.#dataDir, sessionId);
    check({ session, histories: people, resources, effects: readEffects(join(this.#dataDir, 'effects.jsonl')) });
    if (!hasEnded) throw new Error(`The story came to no end:\n${describeLog(session.log)}`);
    return session;
  }

  async close(): Promise<void> {
    await this.#victim?.kill();
    await this.#program.remove();
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  async #open(kill?: Kill): Promise<VictimProcess> {
    if (!this.#victim?.isAlive) {
      this.#victim = await VictimProcess.start(this.#program.file, { dataDir: this.#dataDir, kill });
    }
    return this.#victim;
  }

  async #invite(tabs: number, sessionId: string): Promise<Person[]> {
    const port = () => this.#victim?.port ?? 0;
    const people =
      tabs === 0
        ? [new Visitor('visitor', port, sessionId)]
        : Array.from({ length: tabs }, (_, n) => new Tab(`tab ${n + 1}`, port, sessionId));
    await Promise.all(people.map((person) => person.come()));
    return people;
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

  /** Starts the next victim, and has it killed after a while where the plot says so. Resolves with it if it came up. */
  async #goOn({ killAgain, killAgainAfterMs }: Plot): Promise<VictimProcess | undefined> {
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
  async #awaitRest(sessionId: string, people: readonly Person[], deadline: number): Promise<boolean> {
    for (await this.#open(); !(await this.#isAtRest(sessionId, people)); await this.#open()) {
      if (Date.now() > deadline) return false;
      await sleep(10);
    }
    return true;
  }

  /** What the victim still holds beside its door and its pipes to us; lines need a moment to close. */
  async #heldResources(): Promise<readonly string[]> {
    const deadline = Date.now() + closingMs;
    for (;;) {
      const all = (await (await this.#open()).arm({})) ?? [];
      const held = all.filter((name) => !/^(TCPServer|Pipe|TTY)Wrap$/.test(name));
      if (held.length === 0 || Date.now() > deadline) return held;
      await sleep(5);
    }
  }

  /** Whether nothing is left to do in the session, and all that there was has been seen. */
  async #isAtRest(sessionId: string, people: readonly Person[]): Promise<boolean> {
    const session = await findSession(this.#victim?.port ?? 0, sessionId).catch(() => undefined);
    if (!session || session.seq === 0 || session.status !== 'idle' || session.openCount > 0) return false;
    return people.every((person) => person.hasSeen(session.seq));
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
  const { line } = await Line.open(port, 'author', receive, false);
  line.send({ type: 'create_session', requestId: 'create' });
  const sessionId = await created;
  await line.close();
  return sessionId;
}

async function findSession(port: number, sessionId: string): Promise<Session | undefined> {
  const { line, welcome } = await Line.open(port, 'author', () => undefined, false);
  await line.close();
  return welcome.sessions.find(({ id }) => id === sessionId);
}
