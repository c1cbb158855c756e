import { isDeepStrictEqual } from 'node:util';
import { type Json, type PluginLog, type PluginState, type ToolContext, ToolError } from '@parleyhq/core';
import { readToolUi } from './app-page.ts';
import { AppPages, type Views } from './app-pages.ts';
import { callInRounds, callSerially } from './call.ts';
import { Connection } from './connection.ts';
import {
  type Change,
  type Definition,
  defineTool,
  describeChange,
  type KnownTools,
  readKnown,
  revisionOf,
} from './definition.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { defineOwn } from './own-requests.ts';
import { SerialConnection } from './serial-connection.ts';
import type { ServerConfig } from './server-config.ts';
import { makeRunSignedIn, type RunSignedIn } from './sign-in/ask-to-sign-in.ts';
import { type SignIn, SignInNeededError } from './sign-in/sign-in.ts';

export interface McpServerHost {
  readonly log: PluginLog;
  readonly state: PluginState;
  /** How people sign in to the server, if it may require that. */
  readonly signIn?: SignIn | undefined;
  /** Receives the pages that show calls of its tools. */
  readonly views: Views;
  /** Called when its tools, or the definitions that people have allowed, have changed. */
  onChanged(): void;
}

/** Default number of connections to one server of the 2025 era, and so of sessions that can use it at the same time. */
const defaultConnections = 4;
/** Limits the tools of one server: models would overlook other tools among more, and a server might list them without end. */
const maxTools = 500;
/** Limits the distinct warnings about one server, because it may cause a new one each time. */
const maxWarnings = 100;
const leastRetryMs = 1000;
const mostRetryMs = 60_000;
/** The pause between two listings of the tools, in ms, if a server reports changes again and again. */
const listPaceMs = 100;

/** A server from the settings. It stays connected while Parley runs; its tools stay known while it cannot be reached. */
export class McpServer {
  readonly name: string;
  /** The server's own pages, which show calls of its tools. */
  readonly pages: AppPages;
  readonly #config: ServerConfig;
  readonly #host: McpServerHost;
  readonly #stop = new AbortController();
  readonly #lanes: SerialConnection[];
  #known: KnownTools | undefined;
  /** Resolves with the main connection once its tools are listed. */
  #ready: Promise<Connection> | undefined;
  /** Runs listings one at a time, so that an older list never replaces a newer one. */
  readonly #openings = new OneAtATime(() => this.#open(), listPaceMs);
  #first: Connection | undefined;
  #wantsSignIn = false;
  /** Warnings that have already been logged. */
  readonly #told = new Set<string>();
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(name: string, config: ServerConfig, host: McpServerHost) {
    this.name = name;
    this.#config = config;
    this.#host = host;
    this.#lanes = [this.#makeLane(true)];
    this.pages = new AppPages({
      ...{ server: name, views: host.views, state: host.state },
      read: async (uri) => (await this.#connect()).readContents(uri),
      onFault: (words) => this.#warnOnce(`the MCP server "${name}": ${words}`),
    });
  }

  /** Starts to connect. If its tools are already known, it does not wait for the connection; else for at most `patienceMs`. */
  async start(patienceMs: number): Promise<void> {
    this.#known = readKnown(await this.#host.state.get(this.#key));
    await this.pages.restore(this.tools.flatMap(({ page }) => page ?? []));
    const connecting = this.#connect().catch(() => undefined); // already logged; it is tried again
    if (this.#known) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([connecting, patience]);
    clearTimeout(timer);
  }

  /** The tools as the server listed them last. */
  get tools(): readonly Definition[] {
    return this.#known?.listed ?? [];
  }

  /** Whether the server requires a sign-in and its tools are unknown: then only the tool to sign in is offered. */
  get isShut(): boolean {
    return this.#wantsSignIn && this.tools.length === 0;
  }

  /**
   * Asks somebody to sign in and connects.
   * @returns the number of its tools
   * @throws ToolError `mcp_unauthorised`, `mcp_unavailable`
   */
  async signIn(ctx: ToolContext): Promise<number> {
    await this.#signInFor(ctx)(() => this.#reach());
    return this.tools.length;
  }

  /** Describes how a tool differs from its last allowed definition; undefined if it does not. */
  changeOf(definition: Definition): Change | undefined {
    return describeChange(
      this.#known?.trusted.find(({ name }) => name === definition.name),
      definition,
    );
  }

  /**
   * Runs a call that was allowed for exactly this definition.
   * @throws ToolError `mcp_error`, `mcp_unavailable`, `mcp_unauthorised`, `mcp_closed`, `mcp_changed`, or what asking people throws
   */
  call(definition: Definition, args: Record<string, unknown>, ctx: ToolContext): Promise<Json> {
    return this.#callNow(definition, args, ctx, this.#signInFor(ctx));
  }

  #signInFor(ctx: ToolContext): RunSignedIn {
    const { signIn } = this.#host;
    return signIn ? makeRunSignedIn({ ctx, server: this.name, signIn }) : (work) => work();
  }

  async #callNow(
    definition: Definition,
    args: Record<string, unknown>,
    ctx: ToolContext,
    runSignedIn: RunSignedIn,
  ): Promise<Json> {
    const { era } = await runSignedIn(() => this.#reach()); // connect first, because the tools may have changed meanwhile
    this.#requireCurrent(definition);
    await this.#trust(definition);
    const lane = era === 'modern' ? this.#mainLane : this.#laneFor(ctx.sessionId);
    const renew = async () => {
      await lane.drop();
      await this.#refresh();
      this.#requireCurrent(definition);
    };
    const call = { server: this.name, definition, args, ctx, lane, renew, runSignedIn };
    return era === 'modern' ? callInRounds(call) : callSerially(call);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#retry);
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  get #key(): string {
    return `server:${this.name}`;
  }

  get #mainLane(): SerialConnection {
    return this.#lanes[0] as SerialConnection; // made with the server
  }

  /** @throws ToolError `mcp_unavailable`; SignInNeededError */
  async #reach(): Promise<Connection> {
    try {
      return await this.#connect();
    } catch (cause) {
      if (cause instanceof SignInNeededError) throw cause;
      const words = `The MCP server "${this.name}" cannot be reached: ${this.#explain(cause)}`;
      throw new ToolError('mcp_unavailable', words, { cause });
    }
  }

  /** Lists the tools again after a lost connection: a restarted server may have others. @throws ToolError `mcp_unavailable` */
  async #refresh(): Promise<void> {
    try {
      await this.#listAnew();
    } catch {
      await this.#mainLane.drop(); // already logged; the main connection was lost, too
      await this.#reach();
    }
  }

  /** @throws ToolError `mcp_changed` */
  #requireCurrent(definition: Definition): void {
    const current = this.tools.find(({ name }) => name === definition.name);
    if (current && revisionOf(current) === revisionOf(definition)) return;
    const words = `The MCP server "${this.name}" changed or removed "${definition.name}" before it ran: call it as it is now.`;
    throw new ToolError('mcp_changed', words);
  }

  /** Returns the main connection once its tools are listed. @throws what the SDK throws; it is then tried again later */
  #connect(): Promise<Connection> {
    return this.#ready ?? this.#listAnew();
  }

  /** Lists the tools again. Calls wait for that, because their definitions may have changed. @throws as `#connect` */
  #listAnew(): Promise<Connection> {
    clearTimeout(this.#retry);
    const ready = this.#openings.run();
    this.#ready = ready;
    ready.catch((error: unknown) => {
      if (this.#ready !== ready) return; // a newer attempt has begun
      this.#ready = undefined;
      if (error instanceof SignInNeededError) return this.#shut();
      if (!this.#stop.signal.aborted)
        this.#host.log.warn(`the MCP server "${this.name}" cannot be reached: ${this.#explain(error)}`);
      this.#retryLater();
    });
    return ready;
  }

  async #open(): Promise<Connection> {
    this.#stop.signal.throwIfAborted();
    const connection = await this.#mainLane.connect();
    await this.#list(connection);
    this.#failures = 0;
    this.#wantsSignIn = false;
    if (connection === this.#first) return connection;
    this.#first = connection;
    const known = { era: connection.era, tools: this.tools.length };
    this.#host.log.info(`the MCP server "${this.name}" is connected`, known);
    return connection;
  }

  /** Notes that the server requires a sign-in. It is not retried: the next call or sign-in connects. */
  #shut(): void {
    if (!this.#wantsSignIn) this.#host.log.info(`the MCP server "${this.name}" wants somebody to sign in`);
    this.#wantsSignIn = true;
    this.#host.onChanged();
  }

  #retryLater(): void {
    if (this.#stop.signal.aborted) return;
    clearTimeout(this.#retry);
    const delayMs = Math.min(mostRetryMs, leastRetryMs * 2 ** this.#failures);
    this.#failures += 1;
    // already logged; it is tried again
    this.#retry = setTimeout(() => void this.#connect().catch(() => undefined), delayMs).unref();
  }

  async #list(connection: Connection): Promise<void> {
    const all = (await connection.listTools()).filter(({ _meta }) => readToolUi(_meta).isForModels);
    if (all.length > maxTools) {
      this.#host.log.warn(`the MCP server "${this.name}" lists ${all.length} tools: the first ${maxTools} are taken`);
    }
    const tools = all.slice(0, maxTools).map(defineTool);
    this.pages.forget();
    const listed = [...tools, ...defineOwn(connection.has, tools)];
    await this.#keep({ listed, trusted: this.#known?.trusted ?? listed });
  }

  /** Stores a definition that was allowed to run, by a person or without asking: changes are shown relative to it. */
  async #trust(definition: Definition): Promise<void> {
    if (!this.#known || this.changeOf(definition) === undefined) return;
    const others = this.#known.trusted.filter(({ name }) => name !== definition.name);
    await this.#keep({ ...this.#known, trusted: [...others, definition] });
  }

  async #keep(known: KnownTools): Promise<void> {
    if (isDeepStrictEqual(known, this.#known)) return;
    this.#known = known;
    this.#host.onChanged();
    await this.#host.state.set(this.#key, known as unknown as Json);
  }

  /**
   * Chooses the session's connection, else a free one (the main one first), else a new one, else the one with the fewest calls.
   */
  #laneFor(sessionId: string): SerialConnection {
    const own = this.#lanes.find((lane) => lane.sessionId === sessionId);
    const free = own ?? this.#lanes.find(({ load }) => load === 0);
    if (free) return free;
    const { connections = defaultConnections } = this.#config;
    if (this.#lanes.length < connections) {
      const lane = this.#makeLane(false);
      this.#lanes.push(lane);
      return lane;
    }
    return this.#lanes.reduce((least, lane) => (lane.load < least.load ? lane : least));
  }

  /** Describes an error, with the protocol if the settings choose one, because that may be the cause. */
  #explain(error: unknown): string {
    const reason = error instanceof Error ? error.message : String(error);
    const { protocol = 'auto' } = this.#config;
    return protocol === 'auto' ? reason : `${reason} (its "protocol" in the settings is "${protocol}")`;
  }

  #warnOnce(words: string): void {
    if (this.#told.has(words) || this.#told.size === maxWarnings) return;
    this.#told.add(words);
    this.#host.log.warn(words);
  }

  #makeLane(isMain: boolean): SerialConnection {
    const { log } = this.#host;
    const label = `the MCP server "${this.name}"`;
    return new SerialConnection({
      open: (events) =>
        Connection.open(this.#config, events, {
          prior: isMain ? undefined : this.#first,
          signal: this.#stop.signal,
          door: this.#host.signIn,
        }),
      events: {
        onToolsChanged: () => void this.#listAnew(),
        onLog: (level, text) => log.debug(`${label}: [${level}] ${text}`),
        onStderr: (text) => log.debug(`${label}: ${text}`),
        onFault: (words) => this.#warnOnce(`${label}: ${words}`),
      },
      onLost: () => {
        if (!isMain || this.#stop.signal.aborted) return;
        log.warn(`the connection to ${label} was lost: it is opened again`);
        this.#ready = undefined;
        this.#first = undefined;
        this.#retryLater();
      },
      isKept: isMain,
    });
  }
}
