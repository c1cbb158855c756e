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
  /** How likely a place in a tool is the last that its process comes to. */
  readonly deathsInTools: number;
  /** Whether calls of its tools may sleep while they wait (DUR10). */
  readonly hibernates: boolean;
}

/** In ms: how long a frame travels, and how soon whoever starts a node tries again. */
const slowestMs = 8;
const againMs = 1000;
/** How long it takes to find out that nobody listens. */
const awayMs = 300;

/** A process that runs the real server, but for its sockets; after its end the next one takes its place. */
export class SimulatedNode {
  readonly name: string;
  /** How wrong its clock is, in ms. */
  skewMs = 0;
  /** Nothing passes between it and the database. */
  isCut = false;
  readonly #options: NodeOptions;
  #line: Line;
  #server: ParleyServer | undefined;
  #starts = 0;
  /** What breaks the links to it, each. */
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

  /** SIGKILL: nothing that it has begun goes on. */
  kill(): void {
    this.owner.isDead = true;
    this.#server = undefined;
    this.cutLinks();
  }

  /** SIGSTOP, and SIGCONT after a while. Nobody notices but by its silence. */
  stop(ms: number): void {
    this.#options.scheduler.stop(this.owner, ms);
  }

  cutLinks(): void {
    for (const cut of [...this.#links]) cut();
  }

  /** A connection of a client, over a network that keeps the order. @throws Error where nobody listens */
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
    const { scheduler, random, database, effects, deathsInTools, hibernates } = this.#options;
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
      durations: { restartGraceMs: 250, lateHookMs: 2000 },
    });
    try {
      await server.mount(nobodyListens(), '');
      this.#server = server;
    } catch {
      owner.isDead = true; // the database is away: whoever runs it tries again, with a new process
      this.#line = this.#makeLine();
      scheduler.after(againMs, this.owner, () => void this.#serve());
    }
  }
}

/** Clients of the simulation come without sockets. */
function nobodyListens(): HostServer {
  const address = () => ({ address: '127.0.0.1', port: 1, family: 'IPv4' });
  return Object.assign(new EventEmitter(), { listening: true, address }) as unknown as HostServer;
}
