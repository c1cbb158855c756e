import type { Awaitable } from '../basics/awaitable.ts';
import type { SessionId, ToolCallId } from '../basics/id.ts';
import type { Json } from '../basics/json.ts';
import type { OfferedRule, Rule } from '../prompt/rule.ts';
import type { AskedCall } from '../prompt/suggestion.ts';
import type { View } from '../prompt/view.ts';
import type { Parameters, ValuesOf } from '../schema/standard-schema.ts';
import type { Agent } from './agent.ts';
import type { Door } from './door.ts';
import type { Notifier } from './notifier.ts';
import type { PluginState } from './plugin-state.ts';
import type { Reviewer } from './reviewer.ts';
import type { SocketDoor } from './socket-door.ts';
import type { Subcommand } from './subcommand.ts';
import type { PluginLog, Tool } from './tool.ts';

/** Argument of `setup`, which is called once, before any tool runs. */
export interface PluginHost<Config = unknown> {
  /** Configuration as `configSchema` returned it, or as written if there is no schema. */
  readonly config: Config;
  readonly log: PluginLog;
  /** The plugin's own folder, created before `setup`. */
  readonly dataDir: string;
  readonly state: PluginState;
  /**
   * Replaces the plugin's dynamic tools, which are separate from `tools`, at any time. A running call continues with the tool
   * that it started with. Tools that cannot be registered are left out; the others are registered (AGT4).
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

/** Decision of `onToolCall`: `pass` leaves the call to the policies, the mode and the tool. */
export const gateVerdicts = ['allow', 'ask', 'deny', 'pass'] as const;
export type GateVerdict = (typeof gateVerdicts)[number];

/** A call that is about to run, as `onToolCall` receives it. */
export interface GatedCall {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly toolName: string;
  /** Plugin that provides the tool. */
  readonly plugin: string;
  /** As the model wrote them, or as a person edited them: not parsed. */
  readonly args: Json;
  readonly readOnly: boolean;
  /** The outside program that the tool belongs to, such as an MCP server. */
  readonly source?: Tool['source'];
  /** Calling agent; absent if an outside program calls. */
  readonly agent?: string;
}

/** A plugin: a plain value, the default export of a module. It needs no imports (PLG1). */
export interface Plugin {
  readonly name: string;
  readonly version?: string;
  readonly configSchema?: Parameters;
  // biome-ignore lint/suspicious/noExplicitAny: tools of one plugin differ in their arguments
  readonly tools: readonly Tool<any>[];
  readonly agents?: readonly Agent[];
  /** Ways to notify people of waiting prompts (NTF3). */
  readonly notifiers?: readonly Notifier[];
  /** Programs and models that see calls before people are asked about them (LESS3). */
  readonly reviewers?: readonly Reviewer[];
  /** HTTP routes, below `/plugins/<name>/` or at a path of their own. */
  readonly doors?: readonly Door[];
  /** WebSockets for clients that speak another protocol. */
  readonly sockets?: readonly SocketDoor[];
  /** Tools that are only called from outside, as by its doors: neither agents nor MCP clients are offered them. */
  // biome-ignore lint/suspicious/noExplicitAny: tools of one plugin differ in their arguments
  readonly doorTools?: readonly Tool<any>[];
  /** Commands below `parley` (PLG15). */
  readonly commands?: readonly Subcommand[];
  /**
   * Pages that show its requests, by name (PLG10). The object is read again for each request, so a plugin may add pages, as `html`,
   * while it runs.
   */
  readonly views?: Readonly<Record<string, View>>;
  /**
   * Whether a rule that somebody consented to covers a later call, with these arguments, of the tool that offered it. Must be
   * pure: the result may depend only on its two arguments. Only `true` covers; a throw or any other value covers nothing, and is
   * logged (APR7).
   */
  // biome-ignore lint/suspicious/noExplicitAny: the arguments are those of the tool that offered the rule
  covers?(rule: Rule, args: any): boolean;
  /**
   * Returns the rules that cover all of these calls of one tool, narrowest first: at most eight, and none if nothing sensible does.
   * Must be pure, and needs `covers`, which must be `true` for each of the calls: other rules are not suggested. It is called with
   * one call as well as with several that a person has allowed. People are offered a rule for the gate's prompts, and for those of
   * `ctx.approve` with `suggest` (LESS2).
   */
  suggestRules?(calls: readonly AskedCall[]): readonly OfferedRule[];
  /**
   * Decides about each call of every tool, including other plugins' tools, in addition to the policies: the strictest decision
   * counts. It may be called several times for a call, also with arguments that a person edited. A throw, a timeout of ten
   * seconds or an invalid value means that a person is asked, and is logged (APR3).
   */
  onToolCall?(call: GatedCall): Awaitable<GateVerdict>;
  setup?(host: PluginHost): Awaitable<void>;
  dispose?(): Awaitable<void>;
}

type ConfigOf<S> = [S] extends [never] ? unknown : ValuesOf<S>;

/** Types a plugin, including the config of its `setup` from its `configSchema`, and returns it unchanged. */
export function definePlugin<S extends Parameters = never>(
  plugin: Omit<Plugin, 'configSchema' | 'setup'> & {
    readonly configSchema?: S;
    setup?(host: PluginHost<ConfigOf<S>>): Awaitable<void>;
  },
): Plugin {
  return plugin as Plugin;
}
