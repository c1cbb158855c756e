import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process';
import type { AccessToken } from '@parleyhq/core';
import { mainPath } from './server-process.ts';

/** Runs `parley` with these arguments until it ends. */
export function runParley(...words: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [mainPath, ...words], (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Runs `parley token create`, with or without a running server. @throws Error with its output, if it fails */
export async function createToken(dataDir: string, ...flags: string[]): Promise<AccessToken & { token: string }> {
  const { code, stdout, stderr } = await runParley('token', 'create', '--data-dir', dataDir, '--json', ...flags);
  if (code !== 0) throw new Error(`parley token create ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

interface CommandOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /** Descriptor that it prints to. Default: a pipe to the test */
  readonly stdout?: number | 'pipe';
  readonly stderr?: number | 'pipe';
  /** Whether the modes of files bind it, also where the tests run as root. */
  readonly isBound?: boolean;
}

/** What starts Node.js so that the modes of files bind it: root may otherwise open everything. */
const bound = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

/** A running `parley` command. */
export class ParleyProcess {
  stdout = '';
  stderr = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(words: readonly string[], options: CommandOptions = {}) {
    const { env = {}, cwd, input, stdout = 'pipe', stderr = 'pipe', isBound = false } = options;
    const stdio: StdioOptions = ['pipe', stdout, stderr];
    const [program, ...args] = [...(isBound ? bound : []), process.execPath, mainPath, ...words] as const;
    this.#child = spawn(program as string, args, { env: { ...process.env, ...env }, cwd, stdio });
    this.#child.stdout?.on('data', (chunk) => {
      this.stdout += String(chunk);
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.stderr += String(chunk);
    });
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin?.end(input);
  }

  /** Stops reading its output, so that its next output fails. */
  stopReading(): void {
    this.#child.stdout?.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until it has printed this on stderr. */
  says(words: string): Promise<void> {
    return this.#until('stderr', words);
  }

  /** Waits until it has printed this on stdout. */
  prints(words: string): Promise<void> {
    return this.#until('stdout', words);
  }

  async #until(stream: 'stdout' | 'stderr', words: string): Promise<void> {
    while (!this[stream].includes(words)) {
      const isOver = this.#ended.then(() => true);
      const isMore = new Promise((resolve) => this.#child[stream]?.once('data', () => resolve(false)));
      if ((await Promise.race([isOver, isMore])) && !this[stream].includes(words))
        throw new Error(`it ended without "${words}": ${this.stderr}`);
    }
  }

  async end(): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const code = await this.#ended;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }
}
