import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { lifelineFd, ToolError, tieToLifeline } from '@parleyhq/core';
import type { AgentConfig } from './config.ts';
import { type ClientContext, type Connection, connect, type Handlers, type Initialized, initialize } from './sdk.ts';

/** How long a process may take to end by itself once its input has ended, and then after SIGTERM, in ms. */
const endMs = 3_000;
/** How long a process may take to exit once its output has ended, in ms. */
const exitMs = 1_000;
/** Number of characters of its standard error that are kept for the log. */
const maxTail = 2_000;

/** The members of the server's environment that an agent gets: never the rest, which may have keys. */
const passedOn =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TERM|XDG_\w+|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS|HTTPS?_PROXY|NO_PROXY|https?_proxy|no_proxy)$/;

/** A process of an agent, with its connection. It ends with this process, even after kill -9. */
export class AgentProcess {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #connection: Connection;
  #tail = '';
  #gone: ToolError | undefined;
  #isEnding = false;
  /** Resolves when the process has ended, with an error that says so. */
  readonly exited: Promise<ToolError>;
  initialized!: Initialized;

  constructor(name: string, { command, args, env }: AgentConfig, cwd: string, handlers: Handlers) {
    this.#name = name;
    const [file, tied] = tieToLifeline(command, args);
    const child = spawn(file, tied, {
      cwd,
      env: { ...environment(), ...env },
      detached: true, // its own process group, so that everything it starts ends with it
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stdin?.on('error', () => undefined); // the process has ended, which `exit` reports
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#tail = (this.#tail + text).slice(-maxTail);
    });
    this.#connection = connect(
      child.stdin as NonNullable<typeof child.stdin>,
      child.stdout as NonNullable<typeof child.stdout>,
      handlers,
    );
    this.exited = new Promise((resolve) => {
      const end = (words: string) => {
        this.#gone ??= new ToolError('agent_stopped', words);
        this.#lifeline.destroy(); // also ends what it left running
        this.#connection.close(this.#gone);
        resolve(this.#gone);
      };
      child.once('error', ({ message }) => end(`The agent "${name}" could not be started: ${message}`));
      child.once('exit', (code) =>
        end(
          code === 127
            ? `The agent "${name}" could not be started: there is no program "${command}".`
            : `The process of the agent "${name}" has ended. The next message starts it again.`,
        ),
      );
    });
  }

  /** Begins the protocol. @throws ToolError `agent_stopped` if it does not start, or speaks another protocol */
  async begin(): Promise<void> {
    try {
      this.initialized = await initialize(this.agent);
    } catch (cause) {
      if (this.isGone) throw await this.faultOf(cause);
      this.kill();
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ToolError('agent_stopped', `The agent "${this.#name}" does not answer: ${reason}`, { cause });
    }
  }

  get agent(): ClientContext {
    return this.#connection.agent;
  }

  /** Whether nothing more may be sent to it. */
  get isGone(): boolean {
    return this.#gone !== undefined || this.#isEnding || this.#connection.isClosed;
  }

  /** The end of what it wrote to its standard error. */
  get tail(): string {
    return this.#tail;
  }

  /** Resolves with the reason of a failed request: the process's end, if it has ended or no longer answers. */
  async faultOf(error: unknown): Promise<unknown> {
    if (!this.isGone) return error;
    const timer = setTimeout(() => this.kill(), exitMs); // its own exit says more
    const fault = await this.exited;
    clearTimeout(timer);
    return fault;
  }

  /** Lets it end by itself; ends it if that takes too long. */
  async end(): Promise<void> {
    if (this.#isEnding || this.#gone) return void (await this.exited);
    this.#isEnding = true;
    this.#child.stdin?.end();
    const timers = [setTimeout(() => this.#terminate(), endMs), setTimeout(() => this.kill(), 2 * endMs)];
    await this.exited;
    for (const timer of timers) clearTimeout(timer);
  }

  /** Kills it, and everything it started. */
  kill(): void {
    this.#isEnding = true;
    this.#lifeline.destroy();
  }

  #terminate(): void {
    if (this.#child.pid === undefined || this.#gone) return;
    try {
      process.kill(-this.#child.pid, 'SIGTERM');
    } catch {
      // the group is empty already
    }
  }

  get #lifeline(): Duplex {
    return this.#child.stdio[lifelineFd] as Duplex;
  }
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.test(name)));
}
