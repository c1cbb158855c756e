import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// biome-ignore lint/suspicious/noExplicitAny: each method has its own arguments
export type Methods = Record<string, (...args: any[]) => unknown>;

interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

interface Waiter {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Runs a program of the benchmark in a separate process, with the same Node flags as this one. */
export class Child<M extends Methods> {
  readonly #process: ChildProcess;
  readonly #waiters = new Map<number, Waiter>();
  #calls = 0;

  constructor(program: string, args: readonly string[] = [], nodeOptions: readonly string[] = []) {
    const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
    this.#process = spawn(process.execPath, [...process.execArgv, ...nodeOptions, path, ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#process.on('message', (reply: Reply) => {
      const waiter = this.#waiters.get(reply.id);
      this.#waiters.delete(reply.id);
      if (reply.error === undefined) waiter?.resolve(reply.value);
      else waiter?.reject(new Error(`${program}: ${reply.error}`));
    });
    this.#process.on('exit', (code) => {
      for (const { reject } of this.#waiters.values()) reject(new Error(`${program} ended with ${code}`));
    });
  }

  call<Name extends keyof M & string>(name: Name, ...args: Parameters<M[Name]>): Promise<Awaited<ReturnType<M[Name]>>> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiters.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#process.send({ id, name, args });
    });
  }

  /** Closes the channel to the program, upon which it exits. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.disconnect();
    const impatience = setTimeout(() => this.#process.kill('SIGKILL'), 3000);
    await exited;
    clearTimeout(impatience);
  }
}

/** Runs a program for one task; it is killed afterwards. */
export async function withProgram<M extends Methods, Result>(
  path: string,
  dataDir: string,
  work: (program: Child<M>) => Promise<Result>,
  nodeOptions: readonly string[] = [],
): Promise<Result> {
  const program = new Child<M>(path, [dataDir], nodeOptions);
  try {
    return await work(program);
  } finally {
    await program.stop();
  }
}

/** The child's side: answers calls until the channel to the parent closes. */
export function serveCalls(methods: Methods): void {
  process.on('message', async ({ id, name, args }: { id: number; name: string; args: unknown[] }) => {
    try {
      process.send?.({ id, value: await methods[name]?.(...args) });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  process.once('disconnect', () => process.exit());
}
