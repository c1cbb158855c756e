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

/** The server as people start it, with a data folder of its own; it can be killed and come back on its port. */
export class Parley {
  url = '';
  /** What else stands in its environment. */
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
      const { url, port } = JSON.parse(line) as { url: string; port: number };
      this.url = url;
      this.#port = port;
      return this;
    }
    throw new Error('the server did not start');
  }

  /** The address as the holder of a new token of this role gets it. */
  async urlFor(role: string): Promise<string> {
    const args = [main, 'token', 'create', '--role', role, '--json', '--data-dir', this.#dataDir ?? ''];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    return `${new URL(this.url).origin}/#token=${JSON.parse(stdout).token}`;
  }

  /** As if the power went. */
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
