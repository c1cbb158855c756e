import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SettingsError } from '@parley/server';
import * as z from 'zod';
import { importModule } from './import-module.ts';

export { SettingsError };

const pluginEntry = z.union([z.string(), z.strictObject({ module: z.string(), config: z.unknown().optional() })]);

/** The agent `anthropic`; its key stands in the environment only. */
const anthropicSchema = z.strictObject({
  baseUrl: z.url().exactOptional(),
  system: z.string().min(1).exactOptional(),
  maxTokens: z.number().int().positive().exactOptional(),
  thinking: z.enum(['adaptive', 'off']).or(z.number().int().min(1024)).exactOptional(),
  cacheTtl: z.enum(['5m', '1h']).exactOptional(),
  stallMs: z.number().int().positive().exactOptional(),
});

const settingsSchema = z.strictObject({
  port: z.coerce.number().int().min(0).max(65_535).default(7420),
  host: z.string().min(1).default('127.0.0.1'),
  dataDir: z.string().min(1).default('.parley'),
  agent: z.string().min(1).default('demo'),
  model: z.string().min(1).optional(),
  anthropic: anthropicSchema.default({}),
  plugins: z.array(pluginEntry).default([]),
  /** Settings of plugins that are loaded anyway, by plugin name. */
  pluginConfigs: z.record(z.string(), z.unknown()).default({}),
  /** Which tools are allowed, asked about or denied, by glob (APR3). */
  policies: z.array(z.strictObject({ tool: z.string().min(1), effect: z.enum(['allow', 'ask', 'deny']) })).default([]),
  token: z.string().min(16, 'must have at least 16 characters').optional(),
  auth: z.stringbool().or(z.boolean()).default(true),
  behindProxy: z.stringbool().or(z.boolean()).default(false),
  allowedOrigins: z.array(z.url()).default([]),
  durability: z.enum(['full', 'normal']).default('full'),
  interactionTimeoutMs: z.coerce.number().int().positive().optional(),
  toolTimeoutMs: z.coerce.number().int().positive().optional(),
  json: z.stringbool().or(z.boolean()).default(false),
  open: z.stringbool().or(z.boolean()).default(false),
  watch: z.stringbool().or(z.boolean()).default(false),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).optional(),
});

export type Settings = z.infer<typeof settingsSchema> & { readonly configFile: string | undefined };

/** What commander makes of the command line. */
export type Flags = Partial<
  Record<'port' | 'host' | 'dataDir' | 'agent' | 'model' | 'token' | 'config' | 'logLevel', string>
> &
  Partial<Record<'auth' | 'behindProxy' | 'json' | 'open' | 'watch', boolean>> & { plugin?: string[] };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Flags > environment (`PARLEY_*`) > file > default (OPS2).
 * @throws SettingsError naming every setting that does not fit, and where it came from
 */
export async function readSettings(flags: Flags, env: Environment, cwd: string): Promise<Settings> {
  const configFile = findConfigFile(flags.config ?? env.PARLEY_CONFIG, cwd);
  const file = configFile === undefined ? {} : await readConfigFile(configFile);
  const fromEnv = readEnvironment(env);
  const fromFlags = readFlags(flags);
  const merged = { ...file, ...fromEnv, ...fromFlags };
  if (Array.isArray(file.plugins)) merged.plugins = [...file.plugins, ...(flags.plugin ?? fromEnv.plugins ?? [])];
  const parsed = settingsSchema.safeParse(merged);
  if (parsed.success) return { ...parsed.data, dataDir: resolve(cwd, parsed.data.dataDir), configFile };
  const faults = parsed.error.issues.map((issue) => describeFault(issue, { fromFlags, fromEnv, configFile }));
  throw new SettingsError(faults.join('\n'));
}

const configNames = ['parley.config.json', 'parley.config.js', 'parley.config.mjs', 'parley.config.ts'];

function findConfigFile(named: string | undefined, cwd: string): string | undefined {
  if (named === undefined) return configNames.map((name) => resolve(cwd, name)).find(existsSync);
  const file = resolve(cwd, named);
  if (!existsSync(file)) throw new SettingsError(`There is no config file ${file}.`);
  return file;
}

async function readConfigFile(file: string): Promise<Record<string, unknown>> {
  try {
    const config: unknown = await importModule(file);
    return fromFolder(dirname(file), z.record(z.string(), z.unknown()).parse(config));
  } catch (cause) {
    throw new SettingsError(
      `The config file ${file} could not be read: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
}

/** Paths of plugins count from the file that names them. */
function fromFolder(folder: string, config: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(config.plugins)) return config;
  const place = (module: unknown) =>
    typeof module === 'string' && module.startsWith('.') ? resolve(folder, module) : module;
  const plugins = config.plugins.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'module' in entry
      ? { ...entry, module: place(entry.module) }
      : place(entry),
  );
  return { ...config, plugins };
}

const environmentNames = {
  port: 'PARLEY_PORT',
  host: 'PARLEY_HOST',
  dataDir: 'PARLEY_DATA_DIR',
  agent: 'PARLEY_AGENT',
  model: 'PARLEY_MODEL',
  token: 'PARLEY_TOKEN',
  auth: 'PARLEY_AUTH',
  behindProxy: 'PARLEY_BEHIND_PROXY',
  durability: 'PARLEY_DURABILITY',
  interactionTimeoutMs: 'PARLEY_INTERACTION_TIMEOUT_MS',
  toolTimeoutMs: 'PARLEY_TOOL_TIMEOUT_MS',
  logLevel: 'PARLEY_LOG_LEVEL',
} as const;

interface Partials {
  readonly [name: string]: unknown;
  readonly plugins?: string[];
}

function readEnvironment(env: Environment): Partials {
  const set = Object.entries(environmentNames).filter(([, name]) => env[name] !== undefined && env[name] !== '');
  const lists = {
    ...(env.PARLEY_PLUGINS && { plugins: env.PARLEY_PLUGINS.split(',') }),
    ...(env.PARLEY_ALLOWED_ORIGINS && { allowedOrigins: env.PARLEY_ALLOWED_ORIGINS.split(',') }),
  };
  return { ...Object.fromEntries(set.map(([key, name]) => [key, env[name]])), ...lists };
}

/** Commander says `auth: true` where `--no-auth` was not given: that is a default, not a flag. */
function readFlags({ config: _, plugin, auth, ...flags }: Flags): Partials {
  return { ...flags, ...(auth === false && { auth }), ...(plugin && { plugins: plugin }) };
}

interface Sources {
  readonly fromFlags: Partials;
  readonly fromEnv: Partials;
  readonly configFile: string | undefined;
}

function describeFault({ path, message }: z.core.$ZodIssue, { fromFlags, fromEnv, configFile }: Sources): string {
  const [name] = path.map(String);
  if (name === undefined) return `${configFile ?? 'settings'}: ${message}`;
  if (name in fromFlags) return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${message}`;
  if (name in fromEnv) return `${environmentNames[name as keyof typeof environmentNames] ?? name}: ${message}`;
  return `${configFile ?? 'settings'}: ${path.join('.')}: ${message}`;
}
