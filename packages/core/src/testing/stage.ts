import type { Json } from '../basics/json.ts';
import { writeJson } from '../basics/write-json.ts';
import { callFaults, requireKey } from '../plugin/call-faults.ts';
import type { Plugin } from '../plugin/plugin.ts';
import type { PluginState } from '../plugin/plugin-state.ts';
import { readSchema } from '../plugin/schemas.ts';
import type { PluginLog, Tool } from '../plugin/tool.ts';
import { type GrantKey, nameGrant } from '../prompt/grant.ts';
import type { ApprovalScope } from '../prompt/interaction.ts';
import type { Principal } from '../prompt/role.ts';
import { pathOf } from '../schema/standard-schema.ts';
import type { Prompt } from './prompt.ts';

/** Ann, an operator, who requested the turn and gives all answers unless a reaction names somebody else. */
export const ann: Principal = { id: 'ann', name: 'Ann', role: 'operator' };

export interface StageOptions {
  /** Person who requested the turn and answers. */
  readonly person?: Principal;
  /** Whether anybody is connected who could answer (INT14). */
  readonly available?: boolean;
  /** Initial time, in ms since 1970. */
  readonly now?: number;
}

/** Something besides prompts that ends with time. */
export interface StageClock {
  /** Returns when it ends next, in ms since 1970. */
  nextAt(): number | undefined;
  pass(now: number): void;
}

export interface LogLine {
  readonly level: keyof PluginLog;
  readonly message: string;
  readonly details?: object | undefined;
}

/**
 * The state that calls of one session share: time, grants, the plugin's state, people. Calls on one stage run in parallel, like
 * those of one message.
 */
export class Stage {
  readonly person: Principal;
  available: boolean;
  /** Lasting consents, by the name of their key. */
  readonly grants = new Map<string, ApprovalScope>();
  /** Tools that the plugin last passed to `setTools`. */
  readonly tools: Tool[] = [];
  /** Lines that plugins logged. */
  readonly log: LogLine[] = [];
  #now: number;
  #ids = 0;
  readonly #state = new Map<string, Json>();
  readonly #prompts = new Set<Prompt>();
  readonly #clocks = new Set<StageClock>();

  constructor({ person = ann, available = true, now = Date.parse('2026-03-01T09:00:00Z') }: StageOptions = {}) {
    this.person = person;
    this.available = available;
    this.#now = now;
  }

  get now(): number {
    return this.#now;
  }

  /** Runs a plugin's `setup` like a server at its start. @throws Error if the config is invalid, or `setup` fails */
  async setUp(
    plugin: Plugin,
    { config = {}, dataDir = '' }: { config?: unknown; dataDir?: string } = {},
  ): Promise<void> {
    await plugin.setup?.({
      config: await readConfig(plugin, config),
      log: this.makeLog(),
      dataDir,
      state: this.makeState(`server ${plugin.name}`),
      setTools: (tools) => {
        this.tools.splice(0, this.tools.length, ...tools);
        return [];
      },
    });
  }

  /**
   * Advances the time, once running code has come to its next wait. Expired prompts and waits end in order and their tools
   * continue; tools that wait for nobody use up their own time. @param ms - duration
   */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await settle();
    for (let due = this.#findDue(target); due; due = this.#findDue(target)) {
      this.#now = Math.max(this.#now, due.at);
      due.end(this.#now);
      await settle();
    }
    this.#now = Math.max(this.#now, target);
    await settle();
  }

  addPrompt(prompt: Prompt): void {
    this.#prompts.add(prompt);
  }

  addClock(clock: StageClock): void {
    this.#clocks.add(clock);
  }

  nextNumber(): number {
    this.#ids += 1;
    return this.#ids;
  }

  /** Returns the scope of the grant that covers a key. A `once` grant is used up. */
  takeGrant(key: GrantKey): ApprovalScope | undefined {
    const name = nameGrant(key);
    const scope = this.grants.get(name);
    if (scope === 'once') this.grants.delete(name);
    return scope;
  }

  makeState(owner: string): PluginState {
    const nameOf = (key: string) => {
      requireKey(key);
      return JSON.stringify([owner, key]);
    };
    return {
      get: async (key) => structuredClone(this.#state.get(nameOf(key))),
      set: async (key, value) => {
        if (value === undefined) this.#state.delete(nameOf(key));
        else this.#state.set(nameOf(key), toState(key, value));
      },
      delete: async (key) => void this.#state.delete(nameOf(key)),
    };
  }

  /** @param redact - removes what must not be logged */
  makeLog(redact: <T>(value: T) => T = (value) => value): PluginLog {
    const say = (level: keyof PluginLog) => (message: string, details?: object) =>
      void this.log.push({ level, message: redact(message), ...(details && { details: redact(details) }) });
    return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
  }

  #findDue(target: number): { readonly at: number; end(now: number): void } | undefined {
    const prompts = [...this.#prompts]
      .filter(({ state }) => state === 'open' || state === 'pending')
      .map((prompt) => ({ at: prompt.expiresAt, end: () => prompt.expire() }));
    const clocks = [...this.#clocks].map((clock) => ({ at: clock.nextAt(), end: (now: number) => clock.pass(now) }));
    const due = [...prompts, ...clocks].flatMap(({ at, end }) =>
      at !== undefined && at <= target ? [{ at, end }] : [],
    );
    return due.sort((a, b) => a.at - b.at)[0];
  }
}

async function readConfig({ name, configSchema }: Plugin, config: unknown): Promise<unknown> {
  if (!configSchema) return config;
  const { schema } = readSchema(configSchema, `Plugin "${name}": its configSchema`);
  const result = await schema['~standard'].validate(config);
  if (!result.issues) return result.value;
  const faults = result.issues.map((issue) => [...pathOf(issue), issue.message].join(': '));
  throw new Error(`The config of plugin "${name}" does not fit: ${faults.join('; ')}`);
}

/** Converts a value to JSON; `undefined` becomes null. @throws ToolError with `code` if JSON would lose something */
export function toJson(value: unknown, code: 'invalid_result' | 'invalid_outcome', whole: string): Json {
  try {
    return JSON.parse(writeJson(value === undefined ? null : value, whole));
  } catch (cause) {
    throw callFaults.notJson(code, whole, cause);
  }
}

/** @throws ToolError `tool_error` if JSON would lose something */
function toState(key: string, value: Json): Json {
  try {
    return JSON.parse(writeJson(value, 'the value'));
  } catch (cause) {
    throw callFaults.stateNotJson(key, cause);
  }
}

/** Lets pending microtasks run until everything waits for something outside. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
}
