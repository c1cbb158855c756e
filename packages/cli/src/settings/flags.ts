import { type Command, Option } from 'commander';
import { type SettingKey, settingRows, type settingsTable } from './settings-table.ts';

type Table = typeof settingsTable;
type KeyWithFlag = { [Key in SettingKey]: Table[Key] extends { flag: string } ? Key : never }[SettingKey];
type FlagValue<Flag extends string> = Flag extends `${string}<${string}` ? string : boolean;

/** The command line as commander parses it. */
export type Flags = { readonly [Key in Exclude<KeyWithFlag, 'plugins'>]?: FlagValue<Table[Key]['flag']> } & {
  readonly plugin?: readonly string[];
  readonly config?: string;
  readonly trust?: boolean;
};

/** The flags of commands that read a data directory, whose server may be stopped. */
export type DataFlags = Pick<Flags, 'dataDir' | 'config' | 'json'>;

/** The flags by which a command finds a running server. */
export type ServerFlags = Flags & { readonly url?: string };

/** Adds the flags of `serve`: those of the settings, and two about the config file. */
export function addSettingFlags(command: Command): Command {
  for (const [key, { flag, help, default: value }] of settingRows) {
    if (flag === undefined) continue;
    const isShown = typeof value === 'string' || typeof value === 'number';
    const option = new Option(flag, isShown ? `${help} (default: ${value})` : help).hideHelp(help === undefined);
    command.addOption(key === 'plugins' ? option.argParser(collect) : option);
  }
  return command
    .option('--config <file>', 'config file (default: parley.config.json, .js, .mjs or .ts, if present)')
    .option('--trust', 'trust the config file, its plugins and the data directory that are in this folder');
}

/** Adds the flags by which a command finds a running server, on this machine or another one. */
export function addServerFlags(command: Command, tokenWords?: string): Command {
  const option = command.option(
    '--url <address>',
    "the server's address, as https://parley.example.org (default: found)",
  );
  return addOwnServerFlags(option, tokenWords);
}

/** Adds the flags by which a command finds the server of a data directory. */
export function addOwnServerFlags(command: Command, tokenWords = 'its access token (or PARLEY_TOKEN)'): Command {
  return command
    .option('--host <address>', 'where the server listens (default: 127.0.0.1)')
    .option('--port <number>', 'its port (default: that of the server of the data directory, or 7420)')
    .option('--token <token>', tokenWords)
    .option('--data-dir <folder>', 'its data directory, by which it is recognised (default: .parley)')
    .option('--config <file>', 'its config file');
}

/** Adds the flags by which a command finds a data directory. */
export function addDataFlags(command: Command): Command {
  return command
    .option('--data-dir <folder>', 'the data directory (default: .parley)')
    .option('--config <file>', 'config file, which may name the data directory');
}

/** Collects the values of a repeatable flag. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
