import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isRecord, suggestName } from '@parleyhq/core';
import { SettingsError } from '@parleyhq/server';
import * as z from 'zod';
import { configSubjects } from './config-subjects.ts';
import { dataDirSubject, isOwnDataDir, refuseLinks } from './data-dir.ts';
import type { Flags } from './flags.ts';
import { findPackage, importModule } from './import-module.ts';
import { readLastPort } from './last-port.ts';
import { describeSettingIssue } from './setting-issue.ts';
import { isReadable, readText, settingTypes } from './setting-types.ts';
import { type Setting, type SettingKey, type SettingValues, settingRows, settingsTable } from './settings-table.ts';
import { fileSubject, openTrust, type Trust } from './trust.ts';

export { type Flags, openTrust, SettingsError };

const settingsSchema = z.strictObject(
  Object.fromEntries(
    settingRows.map(([key, row]) => {
      const schema: z.ZodType = settingTypes[row.type];
      return [key, row.default === undefined ? schema.optional() : schema.default(row.default)];
    }),
  ),
);

export type Settings = SettingValues & {
  readonly configFile: string | undefined;
  /** Whether the server's address is from a config file that nobody named (SEC10). */
  readonly isAddressFound: boolean;
  /** Whether the port is that of the data directory's last server, as none was named; another program may listen there now. */
  readonly isPortKept: boolean;
  /** Whether the data directory is from a flag, a variable, or a config file that was named. */
  readonly isDataDirNamed: boolean;
  /** Whether it was not named or is the default: then it is recorded as trusted once this user has created it (SEC10). */
  readonly isDataDirFound: boolean;
};

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Precedence: flags > environment (`PARLEY_*`) > config file > default (OPS2). If none of them names a port, it is the one on
 * which the data directory's server listens, or last did.
 * @param trust - decides about files that nobody named; without it, as for all commands but `serve`, no code is run (SEC10)
 * @throws SettingsError naming every invalid setting and its source, or what is not trusted
 */
export async function readSettings(flags: Flags, env: Environment, cwd: string, trust?: Trust): Promise<Settings> {
  const named = flags.config ?? env.PARLEY_CONFIG;
  const configFile = findConfigFile(named, cwd);
  const isFound = named === undefined;
  const file = configFile === undefined ? {} : await readFile(configFile, isFound, trust);
  const fromEnv = readEnvironment(env);
  const fromFlags = readFlags(flags);
  const merged: Record<string, unknown> = { ...file, ...fromEnv, ...fromFlags };
  if (Array.isArray(file.plugins))
    merged.plugins = [...file.plugins, ...((fromFlags.plugins ?? fromEnv.plugins ?? []) as string[])];
  const parsed = settingsSchema.safeParse(merged, { error: describeSettingIssue });
  const sources = { fromFlags, fromEnv, configFile };
  if (!parsed.success)
    throw new SettingsError(parsed.error.issues.map((issue) => describeFault(issue, sources)).join('\n'));
  const values = parsed.data as SettingValues;
  const dataDir = resolve(cwd, values.dataDir);
  const fault = findFolderFault(dataDir);
  if (fault !== undefined) throw new SettingsError(`${placeOf(['dataDir'], sources)}: ${dataDir} ${fault}`);
  const isDataDirNamed = [flags.dataDir, fromEnv.dataDir, isFound ? undefined : file.dataDir].some(Boolean);
  const found = isFound && configFile !== undefined ? configSubjects(configFile, file, cwd) : [];
  if (!isDataDirNamed) refuseLinks(dataDir, cwd);
  const store = isDataDirNamed ? undefined : dataDirSubject(dataDir);
  await trust?.require(store ? [...found, store] : found);
  const isDataDirFound = !isDataDirNamed || dataDir === resolve(cwd, settingsTable.dataDir.default);
  const isAddressFound =
    isFound && ['host', 'port'].some((name) => name in file && !(name in fromEnv || name in fromFlags));
  const isPortNamed = merged.port !== undefined && values.port !== 0;
  // A folder that somebody else put here must not decide where the token is sent.
  const isOwn = () => isOwnDataDir({ dataDir, isDataDirNamed }, openTrust(env, false));
  const lastPort = trust || isPortNamed || !isOwn() ? undefined : readLastPort(dataDir);
  const port = lastPort ?? values.port;
  const places = { isAddressFound, isPortKept: lastPort !== undefined, isDataDirNamed, isDataDirFound };
  return { ...values, port, dataDir, configFile, ...places };
}

/** Says why a path cannot be the data directory; undefined if it can, or if nothing is there yet. */
function findFolderFault(path: string): string | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? 'is a file, and must be a folder' : undefined;
  } catch (error) {
    return `cannot be opened (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** The token of a command that only asks: an asker's token if one is set (ASK2). */
export function findAskToken(flags: Flags, env: Environment, settings: Settings): string | undefined {
  return flags.token ?? (env.PARLEY_ASK_TOKEN || settings.token);
}

const isProgram = (configFile: string) => !configFile.endsWith('.json');

/** Reads a config file. Without trust, a program is skipped if it was found, refused if it was named. @throws SettingsError */
async function readFile(file: string, isFound: boolean, trust: Trust | undefined): Promise<Record<string, unknown>> {
  if (isProgram(file) && !trust) {
    if (!isFound)
      throw new SettingsError(`--config: ${file} is a program, and this command runs none. Use flags instead.`);
    process.stderr.write(`parley: ${file} was not read: it is a program, and this command runs none.\n`);
    return {};
  }
  if (isProgram(file) && isFound) await trust?.require([fileSubject(file, 'a config file that is a program')]);
  return readConfigFile(file);
}

const configNames = ['parley.config.json', 'parley.config.js', 'parley.config.mjs', 'parley.config.ts'];

/** @returns the file that is named, or else one that the folder has. @throws SettingsError */
export function findConfigFile(named: string | undefined, cwd: string): string | undefined {
  const names = named === undefined ? configNames : [named];
  const file = names.map((name) => resolve(cwd, name)).find(existsSync);
  if (file === undefined) {
    if (named === undefined) return undefined;
    throw new SettingsError(`There is no config file ${resolve(cwd, named)}.`);
  }
  if (!statSync(file).isFile()) throw new SettingsError(`The config file ${file} is not a file.`);
  return file;
}

async function readConfigFile(file: string): Promise<Record<string, unknown>> {
  try {
    const config: unknown = await importModule(file);
    if (!isRecord(config)) throw new Error('it must hold one object, with one key per setting.');
    return fromFolder(dirname(file), config);
  } catch (cause) {
    throw new SettingsError(
      `The config file ${file} could not be read: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
}

/** Plugin paths are relative to the config file that names them, and packages that its folder has come from there. */
function fromFolder(folder: string, config: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(config.plugins)) return config;
  const place = (module: unknown) => {
    if (typeof module !== 'string') return module;
    return module.startsWith('.') ? resolve(folder, module) : (findPackage(module, folder) ?? module);
  };
  const plugins = config.plugins.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'module' in entry
      ? { ...entry, module: place(entry.module) }
      : place(entry),
  );
  return { ...config, plugins };
}

type Partials = Readonly<Record<string, unknown>>;

/** The variable of a setting, as `PARLEY_DATA_DIR` of `dataDir`; undefined if only the config file or a flag can set it. */
export function variableOf(key: SettingKey): string | undefined {
  const { type, isFlagOnly }: Setting = settingsTable[key];
  return isReadable(type) && !isFlagOnly ? `PARLEY_${key.replace(/[A-Z]/g, '_$&').toUpperCase()}` : undefined;
}

function readEnvironment(env: Environment): Partials {
  const set = settingRows.flatMap(([key, { type }]) => {
    const name = variableOf(key);
    const text = name && env[name];
    return text ? [[key, readText(type, text)] as const] : [];
  });
  return Object.fromEntries(set);
}

/** Returns the flags that were given. Commander reports `auth: true` if `--no-auth` was not: that is a default, not a flag. */
function readFlags({ config: _, trust: __, plugin: plugins, auth, ...flags }: Flags): Partials {
  const given = Object.entries({ ...flags, ...(auth === false && { auth }), ...(plugins && { plugins }) });
  return Object.fromEntries(
    given.map(([key, value]) => [
      key,
      isSetting(key) && typeof value === 'string' ? readText(settingsTable[key].type, value) : value,
    ]),
  );
}

interface Sources {
  readonly fromFlags: Partials;
  readonly fromEnv: Partials;
  readonly configFile: string | undefined;
}

function describeFault(issue: z.core.$ZodIssue, sources: Sources): string {
  const words = issue.code === 'unrecognized_keys' ? describeUnknown(issue) : issue.message;
  return `${placeOf(issue.path.map(String), sources)}: ${words}`;
}

function describeUnknown({ keys, path }: z.core.$ZodIssueUnrecognizedKeys): string {
  const known = path.length === 0 ? Object.keys(settingsTable) : [];
  return keys.map((key) => `there is no setting "${key}".${suggestName(key, known)}`).join(' ');
}

function placeOf([name, ...members]: readonly string[], { fromFlags, fromEnv, configFile }: Sources): string {
  const file = configFile ?? 'settings';
  if (name === undefined || !isSetting(name)) return file;
  const { flag }: Setting = settingsTable[name];
  if (name in fromFlags && flag !== undefined) return flag.replace(/ .*/, '');
  return (name in fromEnv && variableOf(name)) || `${file}: ${[name, ...members].join('.')}`;
}

function isSetting(name: string): name is SettingKey {
  return Object.hasOwn(settingsTable, name);
}
