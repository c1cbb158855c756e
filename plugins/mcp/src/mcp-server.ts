import { isDeepStrictEqual } from 'node:util';
import { type Json, type PluginLog, type PluginState, type ToolContext, ToolError } from '@parleyhq/core';
import { callInLane, callInRounds } from './call.ts';
import { Connection } from './connection.ts';
import { type Change, type Definition, defineTool, describeChange, type KnownTools, readKnown } from './definition.ts';
import { Lane } from './lane.ts';
import { OneAtATime } from './one-at-a-time.ts';
import { defineOwn } from './own-requests.ts';
import type { ServerConfig } from './server-config.ts';
import { makeRunSignedIn, type RunSignedIn } from './sign-in/ask-to-sign-in.ts';
import { type SignIn, SignInNeededError } from './sign-in/sign-in.ts';

export interface McpServerHost {
  readonly log: PluginLog;
  readonly state: PluginState;
  /** Where people sign in to it, if it may want that. */
  readonly signIn?: SignIn | undefined;
  /** Its tools, or what people trust of them, are others now. */
  onChanged(): void;
}

/** Connections to one server of the era of 2025, unless its settings say otherwise: so many sessions at a time. */
const defaultConnections = 4;
/** More would hide the others from models; a server that lists them without end is cut off here. */
const maxTools = 500;
/** A server that names a new fault each time is not listened to for ever. */
const maxTold = 100;
const leastRetryMs = 1000;
const mostRetryMs = 60_000;
/** Between two lists of its tools, where a server says again and again that they changed. */
const listPaceMs = 100;

/** A server of the settings: connected while Parley runs, known by its tools also while it is away. */
export class McpServer {
  readonly name: string;
  readonly #config: ServerConfig;
  readonly #host: McpServerHost;
  readonly #stop = new AbortController();
  readonly #lanes: Lane[];
  #known: KnownTools | undefined;
  /** The main connection whose tools are listed, or are about to be. */
  #ready: Promise<Connection> | undefined;
  /** An older list never takes the place of a newer one. */
  readonly #openings = new OneAtATime(() => this.#open(), listPaceMs);
  #first: Connection | undefined;
  #wantsSignIn = false;
  /** What was said of it already. */
  readonly #told = new Set<string>();
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(name: string, config: ServerConfig, host: McpServerHost) {
    this.name = name;
    this.#config = config;
    this.#host = host;
    this.#lanes = [this.#makeLane(true)];
  }

  /** Connects. Where its tools are known from before it does not wait for that; else for `patienceMs` at most. */
  async start(patienceMs: number): Promise<void> {
    this.#known = readKnown(await this.#host.state.get(this.#key));
    const connecting = this.#connect().catch(() => undefined); // logged, and tried again
    if (this.#known) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([connecting, patience]);
    clearTimeout(timer);
  }

  /** As the server listed them last. */
  get tools(): readonly Definition[] {
    return this.#known?.listed ?? [];
  }

  /** It lets nobody in, and nothing is known of it: whoever calls it first signs in. */
  get isShut(): boolean {
    return this.#wantsSignIn && this.tools.length === 0;
  }

  /** Connects, and has somebody sign in for that. @returns how many tools it has @throws ToolError `mcp_unauthorised`, `mcp_unavailable` */
  async signIn(ctx: ToolContext): Promise<number> {
    await this.#signInFor(ctx)(() => this.#reach());
    return this.tools.length;
  }

  /** How a tool differs from what people let run; undefined where it does not. */
  changeOf(definition: Definition): Change | undefined {
    return describeChange(
      this.#known?.trusted.find(({ name }) => name === definition.name),
      definition,
    );
  }

  /**
   * Runs a call that was let run as this definition.
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
    const { era } = await runSignedIn(() => this.#reach()); // first: what it lists may have changed while it was away
    this.#requireCurrent(definition);
    await this.#trust(definition);
    const lane = era === 'modern' ? this.#mainLane : this.#laneFor(ctx.sessionId);
    const renew = async () => {
      await lane.drop();
      await this.#refresh();
      this.#requireCurrent(definition);
    };
    const call = { server: this.name, definition, args, ctx, lane, renew, runSignedIn };
    return era === 'modern' ? callInRounds(call) : callInLane(call);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#retry);
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }

  get #key(): string {
    return `server:${this.name}`;
  }

  get #mainLane(): Lane {
    return this.#lanes[0] as Lane; // made with the server
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

  /** After a connection turned out to be none: a server that was started anew may have other tools. @throws ToolError `mcp_unavailable` */
  async #refresh(): Promise<void> {
    try {
      await this.#listAnew();
    } catch {
      await this.#mainLane.drop(); // logged: it is no better than the other
      await this.#reach();
    }
  }

  /** @throws ToolError `mcp_changed` */
  #requireCurrent(definition: Definition): void {
    if (this.tools.some((each) => isDeepStrictEqual(each, definition))) return;
    const words = `The MCP server "${this.name}" changed "${definition.name}", or took it away, before it ran: call it as it is now.`;
    throw new ToolError('mcp_changed', words);
  }

  /** The main connection, once its tools are listed. @throws what the SDK throws; then it is tried again later */
  #connect(): Promise<Connection> {
    return this.#ready ?? this.#listAnew();
  }

  /** Calls wait for it: what they were let run as may be gone. @throws as `#connect` */
  #listAnew(): Promise<Connection> {
    clearTimeout(this.#retry);
    const ready = this.#openings.run();
    this.#ready = ready;
    ready.catch((error: unknown) => {
      if (this.#ready !== ready) return; // another is under way
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

  /** Trying again would not help: a call, or somebody who signs in, does. */
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
    this.#retry = setTimeout(() => void this.#connect().catch(() => undefined), delayMs).unref(); // logged, and tried again
  }

  async #list(connection: Connection): Promise<void> {
    const all = await connection.listTools();
    if (all.length > maxTools) {
      this.#host.log.warn(`the MCP server "${this.name}" lists ${all.length} tools: the first ${maxTools} are taken`);
    }
    const tools = all.slice(0, maxTools).map(defineTool);
    const listed = [...tools, ...defineOwn(connection.has, tools)];
    await this.#keep({ listed, trusted: this.#known?.trusted ?? listed });
  }

  /** A person let this definition run, or it needed nobody: from now on it is the one that others are compared with. */
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

  /** The one of its session, else one that is free, the main one first, for its tools are what is listed; else a new one, else the one with the least to do. */
  #laneFor(sessionId: string): Lane {
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

  /** Where the settings choose its protocol, that may be why. */
  #explain(error: unknown): string {
    const reason = error instanceof Error ? error.message : String(error);
    const { protocol = 'auto' } = this.#config;
    return protocol === 'auto' ? reason : `${reason} (its "protocol" in the settings is "${protocol}")`;
  }

  #warnOnce(words: string): void {
    if (this.#told.has(words) || this.#told.size === maxTold) return;
    this.#told.add(words);
    this.#host.log.warn(words);
  }

  #makeLane(isMain: boolean): Lane {
    const { log } = this.#host;
    const label = `the MCP server "${this.name}"`;
    return new Lane({
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
        log.warn(`${label} is gone: it is connected again`);
        this.#ready = undefined;
        this.#first = undefined;
        this.#retryLater();
      },
      isKept: isMain,
    });
  }
}
