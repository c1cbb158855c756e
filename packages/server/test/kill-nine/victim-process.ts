import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Kill } from './kill.ts';
import type { VictimOptions } from './victim.ts';

/** A running victim. */
export class VictimProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  /** Resolves with the signal that ended it. */
  readonly ended: Promise<NodeJS.Signals | null>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, port: number) {
    this.#child = child;
    this.#lines = lines;
    this.port = port;
    this.ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
  }

  /** @throws EarlyEnd with its log, if it ends before it is ready; SIGKILL means that it killed itself */
  static async start(program: string, options: VictimOptions): Promise<VictimProcess> {
    const child = spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'pipe'] });
    const stderr: string[] = [];
    child.stderr.on('data', (chunk) => stderr.push(String(chunk)));
    child.stdin.on('error', () => undefined); // it may have ended already
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = await lines.next();
    if (first.done) throw new EarlyEnd((await exited)[1], stderr.join(''));
    return new VictimProcess(child, lines, JSON.parse(first.value).port);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Arms a kill. Resolves with the timers and handles it holds, or undefined if it ended first. */
  async arm(kill: Kill): Promise<readonly string[] | undefined> {
    this.#child.stdin?.write(`${JSON.stringify(kill)}\n`);
    const line = await this.#lines.next();
    return line.done ? undefined : JSON.parse(line.value);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

/** The victim ended before it was ready. */
export class EarlyEnd extends Error {
  readonly signal: NodeJS.Signals | null;

  constructor(signal: NodeJS.Signals | null, said: string) {
    super(`The victim ended by ${signal} before it was ready: ${said}`);
    this.signal = signal;
  }
}
