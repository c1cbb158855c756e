import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const main = 'packages/cli/dist/main.js';

/** A server started from the command line with its own data directory. It can be killed and restarted on the same port. */
export class Parley {
  url = '';
  token: string | null = null;
  /** Additional environment variables. */
  env: Readonly<Record<string, string>> = {};
  #port = 0;
  #child: ChildProcess | undefined;
  #dataDir: string | undefined;
  readonly #flags: readonly string[];

  constructor(...flags: string[]) {
    this.#flags = flags;
  }

  async start(): Promise<this> {
    this.#dataDir ??= await mkdtemp(join(tmpdir(), 'parley-journey-'));
    const args = [main, 'serve', '--json', '--port', String(this.#port), ...this.#flags, '--data-dir', this.#dataDir];
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      const { url, port, token } = JSON.parse(line) as { url: string; port: number; token: string | null };
      this.url = url;
      this.token = token;
      this.#port = port;
      return this;
    }
    throw new Error('The server did not start.');
  }

  /** Returns the log-in address for a new token of this role. */
  async urlFor(role: string, ...flags: string[]): Promise<string> {
    const args = [main, 'token', 'create', '--role', role, ...flags, '--json', '--data-dir', this.#dataDir ?? ''];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    return `${new URL(this.url).origin}/#token=${JSON.parse(stdout).token}`;
  }

  /** Revokes the token that was created last. */
  async revokeNewest(): Promise<void> {
    const run = (...args: readonly string[]) =>
      promisify(execFile)(process.execPath, [main, 'token', ...args, '--data-dir', this.#dataDir ?? ''], { cwd: root });
    const { stdout } = await run('list', '--json');
    const { id } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { id: string };
    await run('revoke', id);
  }

  /** Returns the output of `parley export`. */
  async export(sessionId: string, format: string): Promise<string> {
    const args = [main, 'export', sessionId, '--format', format, '--data-dir', this.#dataDir ?? ''];
    return (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout;
  }

  /** Kills the server as a power failure would. */
  async kill(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async stop(): Promise<void> {
    await this.kill();
    if (this.#dataDir !== undefined) await rm(this.#dataDir, { recursive: true });
  }
}
