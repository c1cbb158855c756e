import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Tab, type TabOptions } from './tab.ts';

/** Rate limit for tests, which send faster than users; unset if a test empties the variable. */
const unhurried = '100000';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** The built `parley` command; `npm test` and vitest's global setup build it. */
export const mainPath = join(root, 'packages/cli/dist/main.js');

export interface Ready {
  readonly url: string;
  readonly port: number;
  readonly token: string | null;
  readonly pid: number;
}

export interface StartOptions {
  readonly dataDir?: string;
  readonly plugins?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether its environment is only `env`, without the test's own: no key, no home folder. */
  readonly isAlone?: boolean;
  /** The script of another build of the command. */
  readonly main?: string;
  /** Command that runs it, such as one that enters another disk. */
  readonly within?: readonly string[];
  /** Whether to leave out `--json`, for output that users read. For `spawnServer` only. */
  readonly isForPeople?: boolean;
}

/** A real `parley serve --json` on a free port, in a data directory of its own, that can be killed and restarted. */
export class ServerProcess {
  #options: StartOptions;
  #dataDir: string | undefined;
  #running: Running | undefined;

  constructor(options: StartOptions = {}) {
    this.#options = options;
  }

  static async start(options: StartOptions = {}): Promise<ServerProcess> {
    const server = new ServerProcess(options);
    await server.start();
    return server;
  }

  /** @throws Error with what the server printed, if it ends before it is ready */
  async start(): Promise<void> {
    this.#dataDir ??= this.#options.dataDir ?? (await mkdtemp(join(tmpdir(), 'parley-test-')));
    const { child, stderr } = spawnServer(this.#dataDir, this.#options);
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const ready = await new Promise<Ready>((resolve, reject) => {
      lines.once('line', (line) => resolve(JSON.parse(line)));
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${stderr.join('')}`)));
    });
    const stdout = [JSON.stringify(ready)];
    child.stdout?.on('data', (chunk) => stdout.push(String(chunk)));
    this.#running = { child, ready, stdout, stderr };
  }

  get dataDir(): string {
    if (this.#dataDir === undefined) throw new Error('the server has not been started');
    return this.#dataDir;
  }

  get ready(): Ready {
    return this.#current.ready;
  }

  /** Output of the current process, in chunks. */
  get stdout(): readonly string[] {
    return this.#current.stdout;
  }

  /** Log of the current process, in chunks. */
  get stderr(): readonly string[] {
    return this.#current.stderr;
  }

  get socketUrl(): string {
    return `ws://127.0.0.1:${this.ready.port}/ws`;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.ready.port}`;
  }

  open(options?: TabOptions): Promise<Tab> {
    return Tab.open(this.socketUrl, options);
  }

  /** Waits until the log contains these words. */
  async says(words: string): Promise<void> {
    const { child, stderr } = this.#current;
    while (!stderr.join('').includes(words)) {
      await new Promise((resolve) => child.stderr?.once('data', resolve));
    }
  }

  /** Resolves once the current process has ended. */
  async ended(): Promise<void> {
    const { child } = this.#current;
    if (child.exitCode !== null || child.signalCode !== null) return;
    await once(child, 'exit');
  }

  /** Ends the process at once, as a power cut would, unless a gentler signal is given. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const { child } = this.#current;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill(signal);
    return exited;
  }

  /** Kills the process, if it still runs, and starts the next one over the same data; `options` replace those given before. */
  async restart(options: StartOptions = {}): Promise<void> {
    await this.kill();
    this.#options = { ...this.#options, ...options };
    await this.start();
  }

  /** Ends the process and removes its data. */
  async remove(): Promise<void> {
    if (this.#running) await this.kill();
    // Programs that it started may keep writing for a moment.
    if (this.#dataDir) await rm(this.#dataDir, { recursive: true, force: true, maxRetries: 20 });
  }

  get #current(): Running {
    if (!this.#running) throw new Error('the server has not been started');
    return this.#running;
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly ready: Ready;
  readonly stdout: string[];
  readonly stderr: string[];
}

/** Runs the same command, for starts that should fail. */
export function spawnServer(dataDir: string, options: StartOptions): { child: ChildProcess; stderr: string[] } {
  const plugins = (options.plugins ?? []).flatMap((plugin) => ['--plugin', plugin]);
  const args = options.args ?? ['--no-auth'];
  const [program = '', ...words] = [...(options.within ?? []), process.execPath];
  const child = spawn(
    program,
    [
      ...words,
      options.main ?? mainPath,
      'serve',
      ...(options.isForPeople ? [] : ['--json']),
      '--port',
      '0',
      '--data-dir',
      dataDir,
      ...plugins,
      ...args,
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: root,
      env: { ...(options.isAlone ? {} : process.env), PARLEY_FRAMES_PER_SECOND: unhurried, ...options.env },
    },
  );
  const stderr: string[] = [];
  child.stderr?.on('data', (chunk) => stderr.push(String(chunk)));
  return { child, stderr };
}
