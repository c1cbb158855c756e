import { checkSubcommands } from '@parleyhq/core';
import { checkPlugin } from '@parleyhq/server';
import { toJsonLine } from '../io/line.ts';
import { ownCommands } from '../own-commands.ts';
import { loadPlugin, loadShipped } from '../serve/plugins.ts';

/** Prints a plugin's tools and commands if a server would load it. @throws Error naming the problem; SettingsError if the file is missing */
export async function checkModule(module: string, { json = false }: { json?: boolean }): Promise<void> {
  const { plugin } = await loadPlugin(module, process.cwd());
  const shipped = await loadShipped();
  const tools = checkPlugin(plugin, shipped);
  checkSubcommands(plugin, shipped, ownCommands);
  const commands = (plugin.commands ?? []).map(({ name, summary }) => ({ name, summary }));
  if (json) {
    process.stdout.write(toJsonLine({ name: plugin.name, tools, commands }));
    return;
  }
  process.stdout.write(`Plugin "${plugin.name}" loads.\n`);
  for (const { name, description } of tools) process.stdout.write(`  ${name}: ${description}\n`);
  for (const { name, summary } of commands) process.stdout.write(`  parley ${name}: ${summary}\n`);
}
