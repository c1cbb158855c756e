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

/** Ann, an operator, who asked for the turn and answers unless a reaction says who else does. */
export const ann: Principal = { id: 'ann', name: 'Ann', role: 'operator' };

export interface StageOptions {
  /** Who answers, and asked for the turn. */
  readonly person?: Principal;
  /** Whether anybody is there to answer (INT14). */
  readonly available?: boolean;
  /** The time at the beginning, in ms since 1970. */
  readonly now?: number;
}

/** Something besides prompts that time ends. */
export interface StageClock {
  /** When the next thing is over, in ms since 1970. */
  nextAt(): number | undefined;
  pass(now: number): void;
}

export interface LogLine {
  readonly level: keyof PluginLog;
  readonly message: string;
  readonly details?: object | undefined;
}

/**
 * What calls of one session have in common: the time, the grants, the plugin's state, the people. Calls that are played on one
 * stage run side by side, as those of one message do.
 */
export class Stage {
  readonly person: Principal;
  available: boolean;
  /** Lasting consents, by the name of their key. */
  readonly grants = new Map<string, ApprovalScope>();
  /** What the plugin has besides its `tools`, since its last `setTools`. */
  readonly tools: Tool[] = [];
  /** What plugins logged. */
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

  /** Runs a plugin's `setup` as the start of a server does. @throws Error where the config does not fit, or `setup` fails */
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
   * Lets time pass, once what was begun has come to where it waits: prompts and waits whose time is up expire, in order, and their
   * tools go on; tools that wait for nobody use up their own time. @param ms - how long
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

  /** The scope of the grant that covers a key. One for once is used up. */
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

  /** @param redact - takes out what the log must not say */
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

/** The value as JSON carries it; `undefined` is null. @throws ToolError with `code` for what it would lose */
export function toJson(value: unknown, code: 'invalid_result' | 'invalid_outcome', whole: string): Json {
  try {
    return JSON.parse(writeJson(value === undefined ? null : value, whole));
  } catch (cause) {
    throw callFaults.notJson(code, whole, cause);
  }
}

/** @throws ToolError `tool_error` for what JSON would lose */
function toState(key: string, value: Json): Json {
  try {
    return JSON.parse(writeJson(value, 'the value'));
  } catch (cause) {
    throw callFaults.stateNotJson(key, cause);
  }
}

/** Lets what was woken run, as far as it waits for nothing outside. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
}
