import {
  isRecord,
  outsideAgent,
  type Plugin,
  type ReadCall,
  type ReadSchema,
  type RefusedTool,
  suggestName,
  type Tool,
  ToolError,
  type ToolOffer,
} from '@parleyhq/core';
import { parseArgs, readSchema } from '@parleyhq/core/schemas';
import { makeValidator } from './bounded-validator.ts';
import { requireCovers, requirePlugin, requireTool } from './plugin-shape.ts';

/** A tool with its plugin and the check of its arguments. */
export interface RegisteredTool {
  // biome-ignore lint/suspicious/noExplicitAny: the registry holds tools of all arguments; `read` gives each its own
  readonly tool: Tool<any>;
  readonly plugin: { readonly name: string; readonly version: string };
  /** Judges what a rule of this plugin covers; undefined if it offers none (APR7). */
  readonly covers: Plugin['covers'];
  /** Suggests rules for calls that people have allowed (LESS2). */
  readonly suggestRules: Plugin['suggestRules'];
  /** The views that its requests may name (PLG10). */
  readonly views: NonNullable<Plugin['views']>;
  /** Names of members that its schema declares, at any depth. */
  readonly declaredNames: ReadonlySet<string>;
  /** Reads arguments as the tool does; the result is what people are shown and asked about (APR2). */
  readonly read: ReadCall;
}

/** The tools of all plugins, by name. Names are unique, so that a call can mean one tool only (PLG2). */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();
  /** Tools that are only called from outside. */
  readonly #ofDoors = new Map<string, RegisteredTool>();
  /** Tools that agents provide for their own calls, by agent and name. */
  readonly #own = new Map<string, ReadonlyMap<string, RegisteredTool>>([[outsideAgent, this.#ofDoors]]);
  readonly #offers: readonly ToolOffer[];
  /** Tools that plugins set while they run, by plugin; `#tools` contains them, too. */
  readonly #added = new Map<string, readonly ToolOffer[]>();

  /** @throws Error if a plugin or tool is invalid, or two tools share a name: naming both */
  constructor(plugins: readonly Plugin[]) {
    const offers: ToolOffer[] = [];
    const names = new Set<string>();
    for (const plugin of plugins) {
      if (names.has(plugin.name)) throw new Error(`Two plugins are called "${plugin.name}".`);
      names.add(plugin.name);
      requirePlugin(plugin);
      for (const tool of plugin.tools) offers.push(this.#add(plugin, tool));
      for (const tool of plugin.doorTools ?? []) register(this.#ofDoors, plugin, tool);
      for (const { name, tools = [] } of plugin.agents ?? []) {
        const own = new Map<string, RegisteredTool>();
        for (const tool of tools) register(own, plugin, tool);
        this.#own.set(name, own);
      }
    }
    this.#offers = offers;
  }

  /** All tools as agents currently see them: first those that plugins were loaded with, then those they set later. */
  get offers(): readonly ToolOffer[] {
    return [...this.#offers, ...[...this.#added.values()].flat()];
  }

  /**
   * Replaces the tools that a plugin set before; those it was loaded with stay.
   * @returns the tools that were rejected, and why
   */
  setTools(plugin: Plugin, tools: readonly Tool[]): readonly RefusedTool[] {
    for (const { name } of this.#added.get(plugin.name) ?? []) this.#tools.delete(name);
    const added: ToolOffer[] = [];
    const refused: RefusedTool[] = [];
    for (const tool of tools) {
      try {
        requireCovers(plugin, tool);
        added.push(this.#add(plugin, tool));
      } catch (error) {
        refused.push({ name: String(tool?.name), reason: error instanceof Error ? error.message : String(error) });
      }
    }
    this.#added.set(plugin.name, added);
    return refused;
  }

  /** Returns the tool that this agent means by a name: its own, otherwise a plugin's. */
  get(name: string, agent: string | undefined): RegisteredTool | undefined {
    return (agent === undefined ? undefined : this.#own.get(agent)?.get(name)) ?? this.#tools.get(name);
  }

  /** Makes the error for an unknown tool name (AGT6). */
  unknown(name: string): ToolError {
    return new ToolError('unknown_tool', `There is no tool "${name}".${suggestName(name, this.#tools.keys())}`);
  }

  #add(plugin: Plugin, tool: Tool): ToolOffer {
    const { jsonSchema } = register(this.#tools, plugin, tool);
    return { name: tool.name, description: tool.description ?? '', parameters: jsonSchema };
  }
}

function register(tools: Map<string, RegisteredTool>, plugin: Plugin, tool: Tool): ReadSchema {
  const place = `Plugin "${plugin.name}"`;
  requireTool(tool, place);
  const other = tools.get(tool.name);
  if (other) throw new Error(`${place} and plugin "${other.plugin.name}" both have a tool "${tool.name}".`);
  const parameters = readSchema(tool.parameters, `${place}: tool "${tool.name}"`);
  const validate = makeValidator(parameters);
  tools.set(tool.name, {
    tool,
    plugin: { name: plugin.name, version: plugin.version ?? '0.0.0' },
    covers: plugin.covers && ((rule, args) => plugin.covers?.(rule, args) as boolean),
    suggestRules: plugin.suggestRules && ((calls) => plugin.suggestRules?.(calls) ?? []),
    views: plugin.views ?? {},
    declaredNames: new Set(namesIn(parameters.jsonSchema)),
    read: (args) => parseArgs(validate, parameters.jsonSchema, args),
  });
  return parameters;
}

/** Finds the names of `properties` in a JSON Schema. */
function namesIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn);
  if (!isRecord(schema)) return [];
  const { properties } = schema;
  return [...(isRecord(properties) ? Object.keys(properties) : []), ...Object.values(schema).flatMap(namesIn)];
}
