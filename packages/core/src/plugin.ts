import type { Agent } from './agent.ts';
import type { Awaitable } from './awaitable.ts';
import type { PluginState } from './plugin-state.ts';
import type { Parameters, PluginLog, Tool } from './tool.ts';

/** What a plugin gets once, before its tools run. */
export interface PluginHost {
  readonly config: unknown;
  readonly log: PluginLog;
  /** A folder of the plugin's own, made before `setup`. */
  readonly dataDir: string;
  readonly state: PluginState;
}

/** A plugin is a plain value, the default export of a module; it needs no import (PLG1). */
export interface Plugin {
  readonly name: string;
  readonly version?: string;
  readonly configSchema?: Parameters;
  // biome-ignore lint/suspicious/noExplicitAny: tools of one plugin differ in their arguments
  readonly tools: readonly Tool<any>[];
  readonly agents?: readonly Agent[];
  setup?(host: PluginHost): Awaitable<void>;
  dispose?(): Awaitable<void>;
}

/** Types a plugin; returns it as it is. */
export function definePlugin<P extends Plugin>(plugin: P): P {
  return plugin;
}
