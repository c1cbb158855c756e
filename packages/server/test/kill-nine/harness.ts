import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerFrame, Session } from '@parleyhq/core';
import { useInFile } from '@parleyhq/server/testing';
import type { StoredSession } from './checked-log.ts';
import type { Client } from './client.ts';
import { InboxClient } from './inbox-client.ts';
import type { Kill } from './kill.ts';
import { Link } from './link.ts';
import type { StartKind } from './start-kind.ts';
import { TabClient } from './tab-client.ts';
import { EarlyEnd, type VictimProcess } from './victim-process.ts';
import { Victims, type VictimsOptions } from './victims.ts';

/** A scenario in one session. */
export interface Scenario {
  readonly tools: readonly string[];
  /** How many tabs are open; with none, an inbox client connects now and then. */
  readonly tabs: number;
  /** Moment at which the victim kills itself. */
  readonly kill?: Kill | undefined;
  /** Alternatively, the time in ms after the first message at which it is killed from outside. */
  readonly killAfterMs?: number | undefined;
  /** A second kill, of the next process: at a point, armed before recovery begins, or after a while. */
  readonly killAgain?: Kill | undefined;
  readonly killAgainAfterMs?: number | undefined;
  /** Time limit of the scenario, in ms. */
  readonly patienceMs?: number | undefined;
}

export const usualPatienceMs = 20_000;

/** Runs scenarios one after the other over one data directory. */
export class Harness {
  readonly #victims: Victims;

  constructor(options?: VictimsOptions) {
    this.#victims = new Victims(options);
  }

  start(): Promise<void> {
    return this.#victims.start();
  }

  remove(): Promise<void> {
    return this.#victims.remove();
  }

  /**
   * Runs a scenario in a new session, through its kill, until the session is at rest.
   * @throws Error if a promise is broken, the session does not come to rest, or the kill's point is not reached
   */
  async run(scenario: Scenario): Promise<StoredSession> {
    const victim = await this.#victims.open();
    const sessionId = await createSession(victim.port);
    const clients = await this.#invite(scenario.tabs, sessionId);
    const deadline = Date.now() + (scenario.patienceMs ?? usualPatienceMs);
    let hasEnded = false;
    try {
      if (scenario.kill) await victim.arm(scenario.kill);
      clients[0]?.say(randomUUID(), scenario.tools.map((tool) => `/call ${tool} {}`).join('\n'));
      if (scenario.killAfterMs !== undefined) await sleep(scenario.killAfterMs).then(() => victim.kill());
      if (scenario.kill) await this.#victims.awaitDeath(victim, sessionId, deadline);
      const next = await this.#goOn(scenario);
      hasEnded = await this.#victims.awaitRest(sessionId, clients, deadline);
      if (scenario.killAgain && next?.isAlive) throw new Error('The second point was not reached.');
    } finally {
      await Promise.all(clients.map((client) => client.leave()));
    }
    return this.#victims.judge(sessionId, clients, hasEnded);
  }

  async #invite(tabs: number, sessionId: string): Promise<Client[]> {
    const port = () => this.#victims.port;
    const clients =
      tabs === 0
        ? [new InboxClient('inbox client', port, sessionId)]
        : Array.from(
            { length: tabs },
            (_, n) => new TabClient(`tab ${n + 1}`, sessionId, (...to) => Link.open(port(), ...to)),
          );
    await Promise.all(clients.map((client) => client.join()));
    return clients;
  }

  /** Starts the next victim, and kills it after a while if the scenario says so. Resolves with it if it came up. */
  async #goOn({ killAgain, killAgainAfterMs }: Scenario): Promise<VictimProcess | undefined> {
    try {
      const victim = await this.#victims.open(killAgain);
      if (killAgainAfterMs !== undefined) await sleep(killAgainAfterMs).then(() => victim.kill());
      return victim;
    } catch (error) {
      if (killAgain && error instanceof EarlyEnd && error.signal === 'SIGKILL') return undefined;
      throw error;
    }
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
  const { link } = await Link.open(port, 'author', receive, { isInteractive: false });
  link.send({ type: 'create_session', requestId: 'create' });
  const sessionId = await created;
  await link.close();
  return sessionId;
}

/** Creates one harness for the tests of a file. */
export function useHarness(start?: StartKind): Harness {
  return useInFile(new Harness(start && { start }));
}
