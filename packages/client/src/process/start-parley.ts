/// <reference types="node" />
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { ParleyClient } from '../parley-client.ts';
import { connectServer } from '../transports/server.ts';
import type { Transport } from '../transports/transport.ts';
import { joinTab, openTab, type PersonTab } from './person-tab.ts';

export interface StartParleyOptions {
  /** Files or packages, as of `--plugin`. */
  readonly plugins?: readonly string[];
  /** Of the database and the plugins' folders; one of its own by default, which ends with it. */
  readonly dataDir?: string;
  /** More of `parley serve`. */
  readonly args?: readonly string[];
  /** Who comes in needs it, and the tabs have it; without one everybody on this machine is let in. */
  readonly token?: string;
  /** Beside the test's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The script of the command; that of the package `parleyd`, as the working directory has it, by default. */
  readonly command?: string;
}

/** Starts a real server in a process of its own, on a free port of this machine. @throws Error with what it printed where it does not start */
export async function startParley(options: StartParleyOptions = {}): Promise<ParleyProcess> {
  const command = options.command ?? (await findCommand());
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'parley-kit-')));
  const parley = new ParleyProcess({ ...options, command, dataDir }, options.dataDir === undefined);
  await parley.begin();
  return parley;
}

type Started = StartParleyOptions & Required<Pick<StartParleyOptions, 'command' | 'dataDir'>>;

/** A server that a test may kill and start again over the same data; its tabs come back by themselves (PLG5). */
export class ParleyProcess {
  readonly dataDir: string;
  #options: Started;
  readonly #isOwn: boolean;
  readonly #clients: ParleyClient[] = [];
  #child: ChildProcess | undefined;
  #log = '';
  /** The same over restarts, unless somebody takes it meanwhile: tabs find it either way. */
  #port = 0;

  /** @param isOwn - its data ends with it */
  constructor(options: Started, isOwn: boolean) {
    this.#options = options;
    this.dataDir = options.dataDir;
    this.#isOwn = isOwn;
  }

  /** Where it listens. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** What it has logged so far, over all its processes. */
  get log(): string {
    return this.#log;
  }

  /** A new tab with a session of its own. @param options - the session's title and agent */
  tab(options?: { readonly title?: string; readonly agent?: string }): Promise<PersonTab> {
    return openTab(this.#connect(), options);
  }

  /** Another tab with a session that is there. */
  join(sessionId: string): Promise<PersonTab> {
    return joinTab(this.#connect(), sessionId);
  }

  /** Ends the process as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((done) => child.once('exit', done));
    child.kill('SIGKILL');
    await exited;
  }

  /** Kills it, and starts the next process over the same data. Waiting calls go on, and tabs connect again. @param options - in place of those given before */
  async restart(options: Pick<StartParleyOptions, 'plugins' | 'args' | 'env'> = {}): Promise<void> {
    await this.kill();
    this.#options = { ...this.#options, ...options };
    await this.begin().catch(() => {
      this.#port = 0;
      return this.begin();
    });
    for (const client of this.#clients) client.reconnectNow();
  }

  /** Ends it and its tabs, and removes its data unless the test brought the folder. */
  async stop(): Promise<void> {
    for (const client of this.#clients) client.stop();
    await this.kill();
    if (this.#isOwn) await rm(this.dataDir, { recursive: true, force: true, maxRetries: 20 });
  }

  /** @throws Error with what it printed where it does not start */
  async begin(): Promise<void> {
    const { command, token, plugins = [], args = [], env = {} } = this.#options;
    const places = ['--port', String(this.#port), '--data-dir', this.dataDir];
    const access = token === undefined ? ['--no-auth'] : ['--token', token];
    const loaded = plugins.flatMap((plugin) => ['--plugin', plugin]);
    const child = spawn(process.execPath, [command, 'serve', '--json', ...access, ...places, ...loaded, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr.on('data', (chunk) => {
      this.#log += String(chunk);
    });
    const lines = createInterface({ input: child.stdout });
    const ready = await new Promise<string>((done, fail) => {
      lines.once('line', done);
      child.once('exit', (code) => fail(new Error(`parley serve ended with ${code}: ${this.#log}`)));
    });
    this.#port = JSON.parse(ready).port;
  }

  #connect(): ParleyClient {
    const { token } = this.#options;
    const transport: Transport = (handlers) => connectServer(this.url)(handlers);
    const client = new ParleyClient({ transport, ...(token !== undefined && { token }) });
    this.#clients.push(client);
    return client;
  }
}

/** @throws Error where the package is not installed */
async function findCommand(): Promise<string> {
  const require = createRequire(resolve('package.json'));
  let manifest: string;
  try {
    manifest = require.resolve('parleyd/package.json');
  } catch (cause) {
    throw new Error('startParley: needs the package "parleyd", or the script of the command as "command".', { cause });
  }
  const { bin } = JSON.parse(await readFile(manifest, 'utf8'));
  return join(dirname(manifest), bin.parley);
}
