import { EventEmitter } from 'node:events';
import type { ServerFrame } from '@parleyhq/core';
import { type DirectLink, ParleyServer } from '@parleyhq/server';
import type { HostServer } from '../../src/http/shared-server.ts';
import type { ClientLink } from '../kill-nine/link.ts';
import { makeTools } from '../kill-nine/tools.ts';
import type { Random } from '../support/random.ts';
import type { Line, SimulatedDatabase } from './database.ts';
import type { EffectBook } from './effect-book.ts';
import { makeOwner, type Owner, type Scheduler } from './scheduler.ts';

export interface NodeOptions {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly database: SimulatedDatabase;
  readonly effects: EffectBook;
  /** Probability that the process ends at a place in a tool. */
  readonly deathsInTools: number;
  /** Whether calls of its tools may sleep while they wait (DUR10). */
  readonly hibernates: boolean;
  /** In ms: how long a session must be quiet before its calls leave memory (DUR10). */
  readonly hibernateAfterMs: number;
}

/** In ms: latency of a frame, and delay before a node is started again. */
const slowestMs = 8;
const againMs = 1000;
/** In ms: how long it takes to notice that nobody listens. */
const awayMs = 300;

/** A process that runs the real server without its sockets; after its end the next one replaces it. */
export class SimulatedNode {
  readonly name: string;
  /** Offset of its clock, in ms. */
  skewMs = 0;
  /** Whether its connection to the database is cut. */
  isCut = false;
  readonly #options: NodeOptions;
  #line: Line;
  #server: ParleyServer | undefined;
  #starts = 0;
  /** Functions that break the links to it. */
  readonly #links = new Set<() => void>();

  constructor(options: NodeOptions) {
    this.name = options.name;
    this.#options = options;
    this.#line = this.#makeLine();
  }

  get owner(): Owner {
    return this.#line.owner;
  }

  get isServing(): boolean {
    return this.#server !== undefined && !this.owner.isDead;
  }

  start(): void {
    if (!this.owner.isDead && this.#starts > 0) return;
    this.#starts += 1;
    this.#line = this.#makeLine();
    this.#options.scheduler.as(this.owner, () => void this.#serve());
  }

  /** Kills it like SIGKILL: nothing that it has begun continues. */
  kill(): void {
    this.owner.isDead = true;
    this.#server = undefined;
    this.cutLinks();
  }

  /** Pauses it like SIGSTOP, and SIGCONT after a while; others notice only its silence. */
  stop(ms: number): void {
    this.#options.scheduler.stop(this.owner, ms);
  }

  cutLinks(): void {
    for (const cut of [...this.#links]) cut();
  }

  /** Connects a client over a network that keeps the order. @throws Error if nobody listens */
  async connect(clientId: string, onFrame: (frame: ServerFrame) => void, client: Owner): Promise<{ link: ClientLink }> {
    const { scheduler } = this.#options;
    const { owner } = this;
    const server = this.#server;
    if (!server) {
      await new Promise((resolve) => setTimeout(resolve, awayMs));
      throw new Error('nobody listens');
    }
    let isOpen = true;
    let direct: DirectLink | undefined;
    const [toNode, toClient] = [this.#makePipe(owner), this.#makePipe(client)];
    let onClosed = () => {};
    const closed = new Promise<void>((resolve) => {
      onClosed = resolve;
    });
    const cut = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#links.delete(cut);
      toNode(() => direct?.close());
      scheduler.after(0, client, onClosed);
    };
    this.#links.add(cut);
    toNode(() => {
      direct = server.connect({
        onMessage: (text) => toClient(() => isOpen && onFrame(JSON.parse(text))),
        onClose: () => toClient(cut),
      });
    });
    const send = (frame: object) => {
      if (isOpen) toNode(() => direct?.send(JSON.stringify(frame)));
    };
    send({ type: 'hello', protocol: 1, clientId, interaction: { supported: true, enabled: true } });
    return { link: { send, closed, close: async () => cut() } };
  }

  #makePipe(to: Owner): (run: () => void) => void {
    const { scheduler, random } = this.#options;
    let last = 0;
    return (run) => {
      last = Math.max(last, scheduler.now + random.next() * slowestMs);
      scheduler.at(last, to, run);
    };
  }

  #makeLine(): Line {
    return { owner: makeOwner(`${this.name}.${this.#starts}`), isCut: () => this.isCut, waiting: [], isWriting: false };
  }

  async #serve(): Promise<void> {
    const { scheduler, random, database, effects, deathsInTools, hibernates, hibernateAfterMs } = this.#options;
    const { owner } = this;
    const tools = makeTools({
      hibernates,
      effects: effects.of(owner),
      pass: () => {
        if (random.next() < deathsInTools) this.kill();
      },
    });
    const server = new ParleyServer({
      store: database.open(this.#line),
      plugins: [tools],
      framesPerSecond: 1_000_000,
      now: () => scheduler.clock + this.skewMs,
      durations: { restartGraceMs: 250, lateHookMs: 2000, hibernateAfterMs },
    });
    try {
      await server.mount(nobodyListens(), '');
      this.#server = server;
    } catch {
      owner.isDead = true; // the database is down: another start follows, with a new process
      this.#line = this.#makeLine();
      scheduler.after(againMs, this.owner, () => void this.#serve());
    }
  }
}

/** Stands in for the HTTP server, because clients of the simulation use no sockets. */
function nobodyListens(): HostServer {
  const address = () => ({ address: '127.0.0.1', port: 1, family: 'IPv4' });
  return Object.assign(new EventEmitter(), { listening: true, address }) as unknown as HostServer;
}
