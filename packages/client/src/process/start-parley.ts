/// <reference types="node" />
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { joinTab, openTab, type PersonOptions, type PersonTab, type SessionOptions } from './person-tab.ts';
import { type CommandOutput, findCommand, runCommand } from './run-parley.ts';

export interface StartParleyOptions {
  /** Files or packages, as of `--plugin`. */
  readonly plugins?: readonly string[];
  /** Of the database and the plugins' folders; one of its own by default, which ends with it. */
  readonly dataDir?: string;
  /** More of `parley serve`. */
  readonly args?: readonly string[];
  /** Who comes in needs it, and the tabs have it; without one everybody on this machine is let in. */
  readonly token?: string;
  /** Beside the test's own environment; what is undefined is taken from that. */
  readonly env?: Readonly<Record<string, string | undefined>>;
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

/** Of a log, in an error. */
const mostWarnings = 5;

type Started = StartParleyOptions & Required<Pick<StartParleyOptions, 'command' | 'dataDir'>>;

/** A server that a test may kill and start again over the same data; its tabs come back by themselves (PLG5). */
export class ParleyProcess {
  readonly dataDir: string;
  #options: Started;
  readonly #isOwn: boolean;
  readonly #tabs: PersonTab[] = [];
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

  /** The script of the command. */
  get command(): string {
    return this.#options.command;
  }

  /** Of its process. @throws Error where there is none */
  get pid(): number {
    const { pid } = this.#child ?? {};
    if (pid === undefined) throw new Error('The server does not run.');
    return pid;
  }

  /** A new tab with a session of its own. @param options - the session's title and agent, and who the tab is of in place of the server's own token */
  async tab(options: PersonOptions & SessionOptions = {}): Promise<PersonTab> {
    return this.#keep(await openTab(this, { ...this.#owner, ...options }));
  }

  /** Another tab with a session that is there. */
  async join(sessionId: string, options: PersonOptions = {}): Promise<PersonTab> {
    return this.#keep(await joinTab(this, sessionId, { ...this.#owner, ...options }));
  }

  /** Runs another command over its data and in its environment, until that ends: `parley.run('token', 'create', '--role', 'asker')`. */
  run(...words: readonly string[]): Promise<CommandOutput> {
    return runCommand(this.command, [...words, '--data-dir', this.dataDir], this.#options.env);
  }

  /** Ends the process as a power cut would, unless a gentler signal is given. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((done) => child.once('exit', done));
    child.kill(signal);
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
    for (const { client } of this.#tabs) client.reconnectNow();
  }

  /** Ends it and its tabs, and removes its data unless the test brought the folder. */
  async stop(): Promise<void> {
    for (const tab of this.#tabs) tab.close();
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

  /** Who has the server's own token. */
  get #owner(): PersonOptions {
    const { token } = this.#options;
    return { explain: () => this.#describeWarnings(), ...(token !== undefined && { token }) };
  }

  /** What it refused or noticed is often why something does not come. */
  #describeWarnings(): string {
    const lines = this.#log.split('\n').filter((line) => /"level":[456]0\b/.test(line));
    return lines.length === 0 ? '' : ` The server's last warnings:\n${lines.slice(-mostWarnings).join('\n')}`;
  }

  #keep(tab: PersonTab): PersonTab {
    this.#tabs.push(tab);
    return tab;
  }
}
