import {
  type ChatEvent,
  callKey,
  outsideAgent,
  type Plugin,
  type Session,
  type Tool,
  type ToolContext,
} from '@parleyhq/core';
import { defaultDurations, setUpPlugin, ToolRegistry } from '@parleyhq/runtime';
import { FakeClock } from './fake-clock.ts';
import type { LogLine } from './log-line.ts';
import { MemoryLog } from './memory-log.ts';
import { type PlayedCall, Process, sessionId } from './process.ts';
import { settle } from './settle.ts';
import { makeStageLog } from './stage-log.ts';

/** A call as the world of its stage sees it. */
export interface Player {
  readonly call: PlayedCall;
  readonly tool: Tool;
  /** Runs the tool's handler. */
  handle(args: never, context: ToolContext): unknown;
  /** Called after an event of the session was stored. */
  onEvent(event: ChatEvent): void;
  /** Called after a record of the call was stored. */
  onRecord(key: string): void;
  onCrash(): void;
  /** Called once the next process has entered the calls again. */
  onRestart(): void;
  /** Called for each line that the server logs about the call. */
  onLog(line: LogLine): void;
  onFault(error: unknown): void;
}

export interface WorldOptions {
  readonly now: number;
  readonly log: LogLine[];
  /** Receives the tools that a plugin sets. */
  readonly tools: Tool[];
  isAvailable(): boolean;
}

/** The plugin of all tools that are played. It is not known here which views and rules the tool's own plugin has. */
const played: Plugin = {
  name: 'played',
  tools: [],
  views: new Proxy({}, { getOwnPropertyDescriptor: () => ({ configurable: true, value: {} }) }),
  covers: () => false,
};

const worlds = new WeakMap<object, World>();

/** What survives a crash, the log, the clock and the calls that are played, with the process that currently runs them. */
export class World {
  readonly clock: FakeClock;
  readonly log: MemoryLog;
  readonly #options: WorldOptions;
  readonly #players = new Map<string, Player>();
  readonly #tools = new Map<string, Tool>();
  readonly #registry = new ToolRegistry([played]);
  #process: Process;
  #starts = 0;
  #turns = 0;
  #numbers = 0;

  private constructor(options: WorldOptions) {
    this.#options = options;
    this.clock = new FakeClock(options.now);
    this.log = new MemoryLog(newSession(options.now), {
      onEvent: (event) => {
        for (const player of this.#players.values()) player.onEvent(event);
      },
      onRecord: (toolCallId, key) => this.#players.get(toolCallId)?.onRecord(key),
    });
    this.#process = this.#start();
  }

  /** Creates the world of a stage. Stages do not refer to it, so that their types need neither the runtime nor Node's. */
  static open(stage: object, options: WorldOptions): void {
    worlds.set(stage, new World(options));
  }

  static of(stage: object): World {
    return worlds.get(stage) as World;
  }

  get process(): Process {
    return this.#process;
  }

  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  /** @throws Error if a server would not load the tool */
  begin(player: Player): void {
    this.#load(player.tool);
    this.#players.set(player.call.toolCallId, player);
    this.#beginIn(this.#process, player);
  }

  crash(): void {
    this.#process.kill();
    for (const player of this.#players.values()) player.onCrash();
    this.#process = this.#start();
    void this.#restart(this.#process);
  }

  async setUp(plugin: Plugin, config: unknown, dataDir: string): Promise<void> {
    const { log, tools } = this.#options;
    const { secrets } = this.#process;
    const { pluginState: state } = this.log.open(() => true); // a plugin is set up once, and keeps it over crashes
    const setTools = (_: Plugin, added: readonly Tool[]) => {
      tools.splice(0, tools.length, ...added);
      return [];
    };
    const output = makeStageLog((line) => log.push(line), secrets);
    const services = { state, log: output, secrets, registry: { setTools } };
    const limitMs = defaultDurations.setupTimeoutMs;
    await setUpPlugin(plugin, services, { config, makeDataDir: async () => dataDir, limitMs });
  }

  #start(): Process {
    const { isAvailable } = this.#options;
    this.#starts += 1;
    return new Process({
      ...{ id: `process-${this.#starts}`, log: this.log, clock: this.clock, registry: this.#registry },
      output: (line) => this.#write(line),
      availability: () => {
        const count = isAvailable() ? 1 : 0;
        return { available: isAvailable(), supportedCount: count, enabledCount: count };
      },
      nextTurnId: () => {
        this.#turns += 1;
        return `turn-${this.#turns}`;
      },
      newUuid: () => `00000000-0000-4000-8000-${String(this.nextNumber()).padStart(12, '0')}`,
    });
  }

  async #restart(process: Process): Promise<void> {
    for (const player of this.#players.values())
      if (!this.log.has(callKey(player.call.toolCallId))) this.#beginIn(process, player);
    await settle();
    if (process.isAlive) for (const player of this.#players.values()) player.onRestart();
  }

  #beginIn(process: Process, player: Player): void {
    process.begin(player.call).catch((error: unknown) => player.onFault(error));
  }

  /** Offers a tool to the calls, in place of an earlier one of the same name. */
  #load(tool: Tool): void {
    if (this.#tools.get(tool.name) === tool) return;
    this.#tools.set(tool.name, tool);
    const [refused] = this.#registry.setTools(
      played,
      [...this.#tools.values()].map((each) => this.#playable(each)),
    );
    if (!refused) return;
    this.#tools.delete(tool.name);
    throw new Error(refused.reason);
  }

  #playable(tool: Tool): Tool {
    const handler: Tool['handler'] = (args, context) =>
      this.#players.get(context.toolCallId)?.handle(args as never, context);
    return { ...tool, handler };
  }

  #write(line: LogLine): void {
    this.#options.log.push(line);
    const { toolCallId } = (line.details ?? {}) as { readonly toolCallId?: string };
    if (toolCallId !== undefined) this.#players.get(toolCallId)?.onLog(line);
  }
}

/** The session of a stage: its calls come from outside, so that each begins when the test wants. */
function newSession(now: number): Session {
  const at = new Date(now).toISOString();
  const times = { createdAt: at, updatedAt: at };
  const idle = { status: 'idle', openCount: 0, seq: 0 } as const;
  return { id: sessionId, title: 'Played', agent: outsideAgent, permissionMode: 'default', ...idle, ...times };
}
