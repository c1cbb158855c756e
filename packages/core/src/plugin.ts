import type { Agent } from './agent.ts';
import type { Awaitable } from './awaitable.ts';
import type { Notifier } from './notifier.ts';
import type { PluginState } from './plugin-state.ts';
import type { Rule } from './rule.ts';
import type { Parameters, ValuesOf } from './standard-schema.ts';
import type { PluginLog, Tool } from './tool.ts';

/** What `setup` gets, once, before any tool runs. */
export interface PluginHost<Config = unknown> {
  /** As `configSchema` gives it; as it was written without one. */
  readonly config: Config;
  readonly log: PluginLog;
  /** The plugin's own folder, created before `setup`. */
  readonly dataDir: string;
  readonly state: PluginState;
  /**
   * Replaces the tools that the plugin has besides those of its `tools`, at any time while it runs. A call that has begun goes on
   * with the tool that it began with. A tool that cannot be registered is left out; the others are there (AGT4).
   * @returns those left out, and why
   */
  // biome-ignore lint/suspicious/noExplicitAny: tools of one plugin differ in their arguments
  setTools(tools: readonly Tool<any>[]): readonly RefusedTool[];
}

/** A tool that `setTools` left out. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

/** A plugin: a plain value, the default export of a module. It needs no imports (PLG1). */
export interface Plugin {
  readonly name: string;
  readonly version?: string;
  readonly configSchema?: Parameters;
  // biome-ignore lint/suspicious/noExplicitAny: tools of one plugin differ in their arguments
  readonly tools: readonly Tool<any>[];
  readonly agents?: readonly Agent[];
  /** Ways to tell people what waits for them (NTF3). */
  readonly notifiers?: readonly Notifier[];
  /**
   * Whether a rule that somebody consented to covers a later call of the tool that offered it, with these arguments. Pure:
   * it decides by its two arguments alone. Only `true` covers; a throw or any other value covers nothing, and is logged (APR7).
   */
  // biome-ignore lint/suspicious/noExplicitAny: the arguments are those of the tool that offered the rule
  covers?(rule: Rule, args: any): boolean;
  setup?(host: PluginHost): Awaitable<void>;
  dispose?(): Awaitable<void>;
}

type ConfigOf<S> = [S] extends [never] ? unknown : ValuesOf<S>;

/** Types a plugin, and the config of its `setup` from its `configSchema`, and returns it unchanged. */
export function definePlugin<S extends Parameters = never>(
  plugin: Omit<Plugin, 'configSchema' | 'setup'> & {
    readonly configSchema?: S;
    setup?(host: PluginHost<ConfigOf<S>>): Awaitable<void>;
  },
): Plugin {
  return plugin as Plugin;
}
