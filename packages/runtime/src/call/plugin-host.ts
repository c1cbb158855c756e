import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Plugin, type PluginStateStore, pathOf, suggestName, type Tool } from '@parleyhq/core';
import { readableOf, readSchema } from '@parleyhq/core/schemas';
import type { Logger } from 'pino';
import type { Secrets } from '../log/secrets.ts';
import { SettingsError } from '../log/settings-error.ts';
import { limitTime } from '../node/limit-time.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import { makePluginLog, makePluginState } from './tool-context.ts';

/** The parts of a server that plugins use. */
export interface PluginServices {
  readonly state: PluginStateStore;
  readonly log: Logger;
  readonly secrets: Secrets;
  readonly registry: Pick<ToolRegistry, 'setTools'>;
}

export interface PluginHostOptions {
  readonly host: PluginServices;
  /** Each plugin gets `<dataDir>/plugins/<name>`. */
  readonly dataDir: string;
  /** Plugin configs by plugin name, from the config file. */
  readonly configs: Readonly<Record<string, unknown>>;
  /** Time allowed to each `setup`, in ms. */
  readonly setupTimeoutMs: number;
}

/**
 * Sets up each plugin with its host, in order.
 * @throws SettingsError naming a plugin whose config is invalid or that is not loaded; Error naming a plugin whose `setup` failed
 * (PLG4)
 */
export async function setUpPlugins(plugins: readonly Plugin[], options: PluginHostOptions): Promise<void> {
  const names = plugins.map(({ name }) => name);
  const stray = Object.keys(options.configs).find((name) => !names.includes(name));
  if (stray !== undefined) {
    throw new SettingsError(`pluginConfigs: no plugin "${stray}" is loaded.${suggestName(stray, names)}`);
  }
  for (const plugin of plugins) {
    const makeDataDir = async () => {
      const dataDir = join(options.dataDir, 'plugins', plugin.name);
      await mkdir(dataDir, { recursive: true, mode: 0o700 });
      return dataDir;
    };
    const own = { config: options.configs[plugin.name], makeDataDir, limitMs: options.setupTimeoutMs };
    await setUpPlugin(plugin, options.host, own);
  }
}

/** Sets up one plugin. @throws as `setUpPlugins` */
export async function setUpPlugin(
  plugin: Plugin,
  { state, log, secrets, registry }: PluginServices,
  own: { readonly config: unknown; makeDataDir(): Promise<string>; readonly limitMs: number },
): Promise<void> {
  const { name, setup } = plugin;
  const config = await readConfig(plugin, own.config);
  if (!setup) return;
  const host = {
    config,
    log: makePluginLog(log.child({ plugin: name }), secrets),
    dataDir: await own.makeDataDir(),
    state: makePluginState(state, name, undefined, (value) => secrets.occursIn(value)),
    setTools: (tools: readonly Tool[]) => registry.setTools(plugin, tools),
  };
  try {
    await limitTime(own.limitMs, () => setup.call(plugin, host), notSettled);
  } catch (cause) {
    throw new Error(`Plugin "${name}" could not be set up: ${reasonOf(cause)}`, { cause });
  }
}

/** Disposes all plugins within `limitMs`; one that fails or never ends does not delay the others. */
export async function disposePlugins(plugins: readonly Plugin[], log: Logger, limitMs: number): Promise<void> {
  const dispose = (plugin: Plugin) =>
    limitTime(limitMs, () => plugin.dispose?.(), notLetGo).catch((error: unknown) =>
      log.warn({ plugin: plugin.name, error }, 'dispose failed'),
    );
  await Promise.all(plugins.map(dispose));
}

async function readConfig(plugin: Plugin, config: unknown): Promise<unknown> {
  if (!plugin.configSchema) return config;
  const { schema } = readSchema(plugin.configSchema, `Plugin "${plugin.name}": its configSchema`);
  const result = await schema['~standard'].validate(config ?? {});
  if (!result.issues) return result.value;
  const faults = result.issues.map((issue) => `${pathOf(issue).join('.') || 'config'}: ${readableOf(issue.message)}`);
  throw new SettingsError(`The config of plugin "${plugin.name}" does not fit: ${faults.join('; ')}`);
}

const notLetGo = (ms: number) => new Error(`it did not end within ${ms} ms`);
const notSettled = (ms: number) => new Error(`its setup did not end within ${ms} ms`);

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
