import { checkSubcommands, type Plugin } from '@parleyhq/core';
import * as z from 'zod';
import { explainedBy } from '../io/topic.ts';
import { ownCommands } from '../own-commands.ts';
import { importModule, resolveModule } from '../settings/import-module.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { describeLoadFault } from './load-error.ts';

/** Plugins that ship with the server (PLG4). */
const shipped = {
  'acp-editor': async () => ({ default: (await import('@parleyhq/plugin-acp/editor')).acpEditor }),
  'ask-user': () => import('@parleyhq/plugin-ask-user'),
  'claude-code': () => import('@parleyhq/plugin-claude-code'),
  codex: () => import('@parleyhq/plugin-codex'),
  forms: () => import('@parleyhq/plugin-forms'),
  shell: () => import('@parleyhq/plugin-shell'),
};

/** Also shipped, but these cost money: loaded only if their agent is chosen by name, like `anthropic`, or configured (AGT3). */
const shippedAgents = {
  'claude-agent': () => import('@parleyhq/plugin-claude-agent'),
};

/** Also shipped: loaded only if MCP servers are configured (AGT4). */
const shippedWithSettings = {
  mcp: () => import('@parleyhq/plugin-mcp'),
};

/** Also shipped: loaded only if agents of the protocol are configured. Its settings say which agents it has (ACP1). */
async function loadAcp(config: unknown): Promise<readonly Plugin[]> {
  if (config === undefined) return [];
  const { makeAcpPlugin } = await import('@parleyhq/plugin-acp');
  return [await check('acp', () => makeAcpPlugin(config))];
}

/** Also shipped: loaded only if notifiers are configured (NTF3). */
const shippedNotifiers = {
  notifiers: () => import('@parleyhq/plugin-notifiers'),
};

/** Also shipped: loaded only if reviewers are configured (LESS3). */
const shippedReviewers = {
  reviewers: () => import('@parleyhq/plugin-reviewers'),
};

/** Also shipped: loaded only if the notifier of this name is configured (CHAT4). */
const shippedChats = {
  slack: () => import('@parleyhq/plugin-slack'),
  telegram: () => import('@parleyhq/plugin-telegram'),
};

export interface LoadedPlugins {
  readonly plugins: readonly Plugin[];
  readonly configs: Readonly<Record<string, unknown>>;
  /** Files of the plugins that the settings name, in that order; these are the last of `plugins`. */
  readonly files: readonly string[];
}

/** Loads the plugins that every server has (PLG4). */
export async function loadShipped(): Promise<readonly Plugin[]> {
  return Promise.all(Object.values(shipped).map(async (load) => (await load()).default));
}

/** Loads the shipped plugins, then those of the settings. @throws Error naming the plugin that could not be loaded, and why */
export async function loadPlugins(
  { agent, plugins: wanted, pluginConfigs, notifiers, reviewers, setupTimeoutMs }: Settings,
  cwd: string,
): Promise<LoadedPlugins> {
  const plugins: Plugin[] = [];
  const configs: Record<string, unknown> = { ...pluginConfigs };
  const files: string[] = [];
  const isWanted = ([name]: readonly [string, unknown]) => name === agent || pluginConfigs[name] !== undefined;
  const ours = [
    ...Object.entries(shipped),
    ...Object.entries({ ...shippedAgents, ...shippedWithSettings }).filter(isWanted),
    ...(notifiers.length > 0 ? Object.entries(shippedNotifiers) : []),
    ...(reviewers.length > 0 ? Object.entries(shippedReviewers) : []),
    ...Object.entries(shippedChats).filter(([name]) => notifiers.some(({ notifier }) => notifier === name)),
  ];
  plugins.push(...(await Promise.all(ours.map(([name, load]) => check(name, async () => (await load()).default)))));
  plugins.push(...(await loadAcp(pluginConfigs.acp)));
  for (const entry of wanted) {
    const { module, config } = typeof entry === 'string' ? { module: entry, config: undefined } : entry;
    const { plugin, file } = await loadPlugin(module, cwd, setupTimeoutMs);
    files.push(file);
    checkSubcommands(plugin, plugins, ownCommands);
    plugins.push(plugin);
    if (config !== undefined) configs[plugin.name] = config;
  }
  return { plugins, configs, files };
}

/** Loads one plugin. @param limitMs - how long it may take @throws Error naming the plugin that could not be loaded, and why */
export async function loadPlugin(
  module: string,
  cwd: string,
  limitMs?: number,
): Promise<{ plugin: Plugin; file: string }> {
  const file = requireModule(module, cwd);
  return { plugin: await check(module, () => importModule(file, limitMs), file), file };
}

const isFunction = z.custom<() => unknown>((value) => typeof value === 'function', 'must be a function');

/** What every plugin must have; the registry checks the members of its tools. */
const pluginShape = z.looseObject({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be letters, digits, "-" and "_"'),
  version: z.string().optional(),
  tools: z.array(z.looseObject({}), 'must be a list of tools, "tools: []" if it has none'),
  setup: isFunction.optional(),
  dispose: isFunction.optional(),
});

/** Resolves a plugin's module to a file. @throws SettingsError if there is no such file or package */
export function requireModule(module: string, cwd: string): string {
  try {
    return resolveModule(module, cwd);
  } catch (cause) {
    throw explainedBy(
      'plugin-missing',
      new SettingsError(`Plugin "${module}" could not be loaded: ${reasonOf(cause)}`, { cause }),
    );
  }
}

async function check(name: string, read: () => unknown, file = name): Promise<Plugin> {
  const refuse = (reason: string, cause?: unknown) =>
    new Error(`Plugin "${name}" could not be loaded: ${reason}`, { cause });
  let value: unknown;
  try {
    value = await read();
  } catch (cause) {
    throw refuse(describeLoadFault(cause, file), cause);
  }
  if (value === undefined) throw refuse('it has no default export');
  const shape = pluginShape.safeParse(value);
  if (shape.success) return value as Plugin;
  throw refuse(
    shape.error.issues.map(({ path, message }) => `${path.join('.') || 'default export'}: ${message}`).join('; '),
  );
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
