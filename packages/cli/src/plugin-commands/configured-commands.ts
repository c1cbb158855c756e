import { checkSubcommands, type Plugin, type Subcommand } from '@parleyhq/core';
import { Command } from 'commander';
import { loadPlugin } from '../serve/plugins.ts';
import { findConfigFile, openTrust, readSettings } from '../settings/settings.ts';

/**
 * Returns the commands of the plugins that the config file names. The file and its plugins must be trusted, as for a start of the
 * server (SEC10).
 * @param words - the command line, which may name the file
 * @param own - names of the other commands
 * @throws SettingsError, Error naming the plugin that could not be loaded, and why
 */
export async function loadConfiguredCommands(
  words: readonly string[],
  own: readonly string[],
): Promise<readonly Subcommand[]> {
  const finder = new Command().option('--config <file>');
  finder.parseOptions([...words]);
  const flags = finder.opts<{ config?: string }>();
  const cwd = process.cwd();
  if (findConfigFile(flags.config ?? process.env.PARLEY_CONFIG, cwd) === undefined) return [];
  const { plugins, setupTimeoutMs } = await readSettings(flags, process.env, cwd, openTrust(process.env, false));
  const loaded: Plugin[] = [];
  for (const entry of plugins) {
    const { plugin } = await loadPlugin(typeof entry === 'string' ? entry : entry.module, cwd, setupTimeoutMs);
    checkSubcommands(plugin, loaded, own);
    loaded.push(plugin);
  }
  return loaded.flatMap(({ commands = [] }) => commands);
}
