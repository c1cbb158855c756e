import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '@parleyhq/core';
import { Bundle, type Mutation } from '../support/bundle.ts';
import { makeFolder } from '../support/plugin-file.ts';
import { describeLog, readSession, type StoredSession } from './checked-log.ts';
import { check } from './checker.ts';
import type { Client } from './client.ts';
import { readEffects } from './effects.ts';
import type { Kill } from './kill.ts';
import { Link } from './link.ts';
import type { StartKind } from './start-kind.ts';
import { VictimProcess } from './victim-process.ts';

const closingMs = 5000;
/** Time between two looks at a session; each opens a connection, which costs more than the wait. */
const lookMs = 40;

export interface VictimsOptions {
  readonly start?: StartKind;
  /** A fault in the victims, for the checker to find. */
  readonly mutation?: Mutation | undefined;
  /** Token of the owner; if undefined, everybody is admitted. */
  readonly token?: string;
}

/** One data directory and its victims, one after the other: the process that ends a scenario begins the next. */
export class Victims {
  readonly dataDir = makeFolder();
  /** File with the port of the newest victim. */
  readonly portFile = join(this.dataDir, 'port');
  readonly #start: StartKind;
  readonly #mutation: Mutation | undefined;
  readonly #token: string | undefined;
  #program: Bundle | undefined;
  #victim: VictimProcess | undefined;

  constructor({ start = 'awake', mutation, token }: VictimsOptions = {}) {
    this.#start = start;
    this.#mutation = mutation;
    this.#token = token;
  }

  async start(): Promise<void> {
    this.#program = await Bundle.makeCompiled(new URL('victim.ts', import.meta.url), this.#mutation);
  }

  async remove(): Promise<void> {
    await this.#victim?.kill();
    await this.#program?.remove();
  }

  /** Port of the newest victim; 0 before the first. */
  get port(): number {
    return this.#victim?.port ?? 0;
  }

  /** Returns the running victim, or starts the next one. @param kill - armed in the next one before its recovery begins */
  async open(kill?: Kill): Promise<VictimProcess> {
    if (!this.#program) throw new Error('the victims have not been started');
    if (!this.#victim?.isAlive) {
      this.#victim = await VictimProcess.start(this.#program.file, {
        dataDir: this.dataDir,
        start: this.#start,
        kill,
        token: this.#token,
      });
      writeFileSync(this.portFile, String(this.#victim.port));
    }
    return this.#victim;
  }

  /** Waits for the victim's death. @throws Error if the session comes to rest without it, or it takes too long */
  async awaitDeath(victim: VictimProcess, sessionId: string, deadline: number): Promise<void> {
    while ((await Promise.race([victim.ended, sleep(lookMs)])) === undefined) {
      // A victim that replies is alive, and will not reach its point any more.
      const isOver = (await this.#isAtRest(sessionId, [])) && (await victim.arm({}));
      if (isOver || Date.now() > deadline) throw new Error('The point was not reached.');
    }
    const signal = await victim.ended;
    if (signal !== 'SIGKILL') throw new Error(`The victim ended by ${signal}.`);
  }

  /** Waits until the session is at rest; another kill may come at any time before. @returns whether it came */
  async awaitRest(sessionId: string, clients: readonly Client[], deadline: number): Promise<boolean> {
    for (await this.open(); !(await this.#isAtRest(sessionId, clients)); await this.open()) {
      if (Date.now() > deadline) return false;
      await sleep(lookMs);
    }
    return true;
  }

  /** Judges what is left when every client has gone. @throws Error if a promise is broken, or the session is not at rest */
  async judge(sessionId: string, clients: readonly Client[], hasEnded: boolean): Promise<StoredSession> {
    const resources = hasEnded ? await this.#heldResources() : [];
    const session = readSession(this.dataDir, sessionId);
    check({ session, histories: clients, resources, effects: readEffects(join(this.dataDir, 'effects.jsonl')) });
    if (!hasEnded) throw new Error(`The session did not come to rest:\n${describeLog(session.log)}`);
    return session;
  }

  /** Lists what the victim holds apart from its listening socket and its pipes to us; connections need a moment to close. */
  async #heldResources(): Promise<readonly string[]> {
    const deadline = Date.now() + closingMs;
    for (;;) {
      const all = (await (await this.open()).arm({})) ?? [];
      const held = all.filter((name) => !/^(TCPServer|Pipe|TTY)Wrap$/.test(name));
      if (held.length === 0 || Date.now() > deadline) return held;
      await sleep(10);
    }
  }

  /** Whether nothing is left to do in the session, and every client has seen all of it. */
  async #isAtRest(sessionId: string, clients: readonly Client[]): Promise<boolean> {
    const session = await findSession(this.port, sessionId).catch(() => undefined);
    if (!session || session.seq === 0 || session.status !== 'idle' || session.openCount > 0) return false;
    return clients.every((client) => client.hasSeen(session.seq));
  }
}

async function findSession(port: number, sessionId: string): Promise<Session | undefined> {
  const { link, welcome } = await Link.open(port, 'author', () => undefined, { isInteractive: false });
  await link.close();
  return welcome.sessions.find(({ id }) => id === sessionId);
}
