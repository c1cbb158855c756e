import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { TcpProxy } from '../../../../../plugins/postgres/test/support/tcp-proxy.ts';
import type { NodeOptions } from './node.ts';

/** In ms: delay before a node is started again while its database is down. */
const againMs = 200;

/** A node as a process, with a network on both sides of it. */
export class NodeProcess {
  /** Proxy between clients and the node. */
  readonly door: TcpProxy;
  /** Proxy between the node and the database. */
  readonly cable: TcpProxy;
  readonly #program: string;
  readonly #options: NodeOptions;
  readonly #place: { port: number };
  #child: ChildProcess | undefined;
  #isServing = false;
  readonly #stderr: string[] = [];
  /** How it ended while it served, apart from `kill`: this must not happen. */
  readonly ends: string[] = [];

  private constructor(
    program: string,
    options: NodeOptions,
    { cable, door, place }: { cable: TcpProxy; door: TcpProxy; place: { port: number } },
  ) {
    this.#program = program;
    this.#options = options;
    this.cable = cable;
    this.door = door;
    this.#place = place;
  }

  static async start(program: string, { url, effects }: Omit<NodeOptions, 'origin'>): Promise<NodeProcess> {
    const cable = await TcpProxy.before(() => Number(new URL(url).port));
    const place = { port: 0 };
    const door = await TcpProxy.before(() => place.port);
    const own = Object.assign(new URL(url), { port: String(cable.port) }).href;
    const origin = `http://127.0.0.1:${door.port}`;
    const node = new NodeProcess(program, { url: own, effects, origin }, { cable, door, place });
    await node.run();
    return node;
  }

  /** Port of the node itself, bypassing the proxy. */
  get port(): number {
    return this.#place.port;
  }

  /** Starts it, repeatedly, until it serves. */
  async run(): Promise<void> {
    for (;;) {
      const child = spawn(process.execPath, [this.#program, JSON.stringify(this.#options)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      this.#child = child;
      child.stderr.on('data', (chunk) => this.#stderr.push(String(chunk)));
      child.once('exit', (code, signal) => {
        if (this.#isServing) this.ends.push(`${code ?? signal}: ${this.#stderr.join('').slice(-2000)}`);
      });
      const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
      if (!first.done) {
        this.#isServing = true;
        this.#place.port = JSON.parse(first.value).port;
        return;
      }
      await sleep(againMs);
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    this.#isServing = false;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    this.cable.close();
    this.door.close();
  }
}
