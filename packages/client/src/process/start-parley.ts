/// <reference types="node" />
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { joinTab, openTab, type PersonOptions, type PersonTab, type SessionOptions } from './person-tab.ts';
import { type CommandOutput, findCommand, runCommand } from './run-parley.ts';

export interface StartParleyOptions {
  /** Plugins to load: files or packages, as for `--plugin`. */
  readonly plugins?: readonly string[];
  /** Folder of the database and the plugins' data; by default a temporary one, which `stop` deletes. */
  readonly dataDir?: string;
  /** More arguments for `parley serve`. */
  readonly args?: readonly string[];
  /** Access token, which the tabs use; without one, everybody on this machine has access. */
  readonly token?: string;
  /** Variables in addition to the test's environment; undefined removes one from it. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Script of the command; by default that of the package `parleyd`, found from the working directory. */
  readonly command?: string;
}

/** Starts a real server in its own process, on a free port of this machine. @throws Error with its output if it does not start */
export async function startParley(options: StartParleyOptions = {}): Promise<ParleyProcess> {
  const command = options.command ?? (await findCommand());
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'parley-kit-')));
  const parley = new ParleyProcess({ ...options, command, dataDir }, options.dataDir === undefined);
  await parley.begin();
  return parley;
}

/** How many of the server's last warnings an error quotes. */
const mostWarnings = 5;

type Started = StartParleyOptions & Required<Pick<StartParleyOptions, 'command' | 'dataDir'>>;

/** A server that a test can kill and start again on the same data; its tabs reconnect by themselves (PLG5). */
export class ParleyProcess {
  readonly dataDir: string;
  #options: Started;
  readonly #isOwn: boolean;
  readonly #tabs: PersonTab[] = [];
  #child: ChildProcess | undefined;
  #log = '';
  /** Stays the same over restarts, unless another program takes it; the tabs find the new one. */
  #port = 0;

  /** @param isOwn - whether `stop` deletes the data */
  constructor(options: Started, isOwn: boolean) {
    this.#options = options;
    this.dataDir = options.dataDir;
    this.#isOwn = isOwn;
  }

  /** The server's address. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The log so far, of all its processes. */
  get log(): string {
    return this.#log;
  }

  /** The script of the command. */
  get command(): string {
    return this.#options.command;
  }

  /** Id of the server's process. @throws Error if it is not running */
  get pid(): number {
    const { pid } = this.#child ?? {};
    if (pid === undefined) throw new Error('The server is not running.');
    return pid;
  }

  /** Opens a tab with a new session. @param options - its title and agent, and the person, by default with the server's token */
  async tab(options: PersonOptions & SessionOptions = {}): Promise<PersonTab> {
    return this.#keep(await openTab(this, { ...this.#owner, ...options }));
  }

  /** Opens a tab with an existing session. */
  async join(sessionId: string, options: PersonOptions = {}): Promise<PersonTab> {
    return this.#keep(await joinTab(this, sessionId, { ...this.#owner, ...options }));
  }

  /** Runs a command on the server's data and with its environment: `parley.run('token', 'create', '--role', 'asker')`. */
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

  /**
   * Kills the process, and starts a new one on the same data. Waiting calls go on, and tabs reconnect.
   * @param options - replace those given before
   */
  async restart(options: Pick<StartParleyOptions, 'plugins' | 'args' | 'env'> = {}): Promise<void> {
    await this.kill();
    this.#options = { ...this.#options, ...options };
    await this.begin().catch(() => {
      this.#port = 0;
      return this.begin();
    });
    for (const { client } of this.#tabs) client.reconnectNow();
  }

  /** Stops the server and its tabs, and deletes its data unless the test chose the folder. */
  async stop(): Promise<void> {
    for (const tab of this.#tabs) tab.close();
    await this.kill();
    if (this.#isOwn) await rm(this.dataDir, { recursive: true, force: true, maxRetries: 20 });
  }

  /** Starts the process. @throws Error with its output if it does not start */
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

  /** The default person of tabs, who has the server's own token. */
  get #owner(): PersonOptions {
    const { token } = this.#options;
    return { explain: () => this.#describeWarnings(), ...(token !== undefined && { token }) };
  }

  /** Quotes the server's last warnings, which often explain why an expected event does not come. */
  #describeWarnings(): string {
    const lines = this.#log.split('\n').filter((line) => /"level":[456]0\b/.test(line));
    return lines.length === 0 ? '' : ` The server's last warnings:\n${lines.slice(-mostWarnings).join('\n')}`;
  }

  #keep(tab: PersonTab): PersonTab {
    this.#tabs.push(tab);
    return tab;
  }
}
