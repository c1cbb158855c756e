import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Tests are faster than people: only those of the limit itself meet it, with the variable empty. */
const unhurried = '100000';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** The `parley` command as it is built: `npm test` and vitest's global setup see to it. */
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
  /** Its environment is `env` and nothing of the test's own: no key, no home folder. */
  readonly isAlone?: boolean;
  /** Without `--json`: what a person reads. For `spawnServer` only. */
  readonly isForPeople?: boolean;
}

/** A real `parley serve --json` on a free port, in a data directory of its own. */
export class ServerProcess {
  readonly dataDir: string;
  readonly ready: Ready;
  readonly stdout: string[] = [];
  readonly stderr: string[];
  readonly #child: ChildProcess;
  readonly #options: StartOptions;

  private constructor(child: ChildProcess, ready: Ready, dataDir: string, options: StartOptions, stderr: string[]) {
    this.#child = child;
    this.ready = ready;
    this.dataDir = dataDir;
    this.#options = options;
    this.stderr = stderr;
    child.stdout?.on('data', (chunk) => this.stdout.push(String(chunk)));
    this.stdout.push(JSON.stringify(ready));
  }

  /** @throws Error with what the server said, where it does not become ready */
  static async start(options: StartOptions = {}): Promise<ServerProcess> {
    const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'parley-test-')));
    const { child, stderr } = spawnServer(dataDir, options);
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    const ready = await new Promise<Ready>((resolve, reject) => {
      lines.once('line', (line) => resolve(JSON.parse(line)));
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${stderr.join('')}`)));
    });
    return new ServerProcess(child, ready, dataDir, options, stderr);
  }

  get socketUrl(): string {
    return `ws://127.0.0.1:${this.ready.port}/ws`;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.ready.port}`;
  }

  /** Waits until its log has said so. */
  async says(words: string): Promise<void> {
    while (!this.stderr.join('').includes(words)) {
      await new Promise((resolve) => this.#child.stderr?.once('data', resolve));
    }
  }

  /** Ends it at once, as a power cut would end the process. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const exited = new Promise<number | null>((resolve) => this.#child.once('exit', resolve));
    this.#child.kill(signal);
    return exited;
  }

  /** The next process over the same data. */
  restart(options: StartOptions = {}): Promise<ServerProcess> {
    return ServerProcess.start({ ...this.#options, ...options, dataDir: this.dataDir });
  }

  /** Ends it and removes its data. */
  async remove(): Promise<void> {
    await this.kill();
    // Programs that it started may write on for a moment.
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** The same command, for starts that are to fail. */
export function spawnServer(dataDir: string, options: StartOptions): { child: ChildProcess; stderr: string[] } {
  const plugins = (options.plugins ?? []).flatMap((plugin) => ['--plugin', plugin]);
  const args = options.args ?? ['--no-auth'];
  const child = spawn(
    process.execPath,
    [
      mainPath,
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
