import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { audienceSchema, escalationSchema, isRecord, quorumSchema, suggestName } from '@parleyhq/core';
import { defaultDurations, SettingsError } from '@parleyhq/server';
import * as z from 'zod';
import { configSubjects } from './config-subjects.ts';
import { dataDirSubject, isOwnDataDir, refuseLinks } from './data-dir.ts';
import { importModule } from './import-module.ts';
import { readLastPort } from './last-port.ts';
import { notifierSchema } from './notifier-settings.ts';
import { describeSettingIssue } from './setting-issue.ts';
import { fileSubject, openTrust, type Trust } from './trust.ts';

export { openTrust, SettingsError };

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const pluginEntry = z.union([z.string(), z.strictObject({ module: z.string(), config: z.unknown().optional() })], {
  error: 'must be a path, a package, or { "module": …, "config": … }',
});

const portNumber = 'must be a whole number from 0 to 65535';
const milliseconds = 'must be a whole number of milliseconds above 0';
/** The shortest freshness of a login, in ms: with less, the page would ask for the token again and again. */
const leastFreshMs = 60_000;
const millisecondsOrNone = 'must be a whole number of milliseconds, or 0 for any time';
const frameCount = 'must be a whole number of frames above 0';
const roundCount = 'must be a whole number of messages above 0';
const tokenCount = 'must be a whole number of tokens above 0';
const socketCount = 'must be a whole number of sockets above 0';
const quotaCount = 'must be a whole number above 0';
const filled = z.string('must be a string').min(1, 'must not be empty');

/** How many different characters a chosen token must have; a random one of 16 hexadecimal digits has more. */
const leastVariety = 5;
const tooPlain = `must have at least ${leastVariety} different characters: "openssl rand -hex 32" makes a good one`;
const duration = z.int(milliseconds).positive(milliseconds);
const flag = z.boolean('must be true or false');

/** Settings of the agent `anthropic`; its key comes from the environment only. */
const anthropicSchema = z.strictObject({
  baseUrl: z.url('must be an address, as https://models.example.org').exactOptional(),
  system: filled.exactOptional(),
  maxTokens: z.int(tokenCount).positive(tokenCount).exactOptional(),
  thinking: z
    .union([z.enum(['adaptive', 'off']), z.int().min(1024)], {
      error: 'must be "adaptive", "off" or a whole number of tokens from 1024',
    })
    .exactOptional(),
  cacheTtl: z.enum(['5m', '1h']).exactOptional(),
  stallMs: z.int(milliseconds).positive(milliseconds).exactOptional(),
});

const quota = z.int(quotaCount).positive(quotaCount).exactOptional();

/** Quotas per person (SEC11). */
const quotasSchema = z.strictObject({
  connections: quota,
  sessionsPerHour: quota,
  ownedSessions: quota,
  messagesPerHour: quota,
  storedBytesPerHour: quota,
  uploadedBytesPerHour: quota,
  loginsPerHour: quota,
  logins: quota,
  operators: flag.exactOptional(),
});

const audience = z.strictObject(audienceSchema.shape);

const policyEntry = z
  .strictObject({
    tool: filled,
    effect: z.enum(['allow', 'ask', 'deny'], 'must be "allow", "ask" or "deny"').optional(),
    audience: audience.optional(),
    decide: z.strictObject(quorumSchema.shape).optional(),
    escalate: z
      .array(z.strictObject({ ...escalationSchema.shape, afterMs: duration, audience }))
      .min(1)
      .optional(),
    visibility: z.literal('audience', 'must be "audience"').optional(),
  })
  .refine(
    ({ tool: _, ...said }) => Object.values(said).some((member) => member !== undefined),
    'must have an "effect", an "audience", a "decide", an "escalate" or a "visibility"',
  );

const hostAlone = 'must be a name or an address alone, as 127.0.0.1: the port has a flag of its own';

const defaultDataDir = '.parley';

const settingsSchema = z.strictObject({
  port: z.int(portNumber).min(0, portNumber).max(65_535, portNumber).default(7420),
  host: filled.regex(/^[^/\s]+$/, hostAlone).default('127.0.0.1'),
  dataDir: filled.default(defaultDataDir),
  /** A PostgreSQL database in place of the file in the data directory (OPS4). */
  store: z
    .string()
    .regex(/^postgres(ql)?:\/\/\S+$/, 'must be the address of a database, as postgres://parley@db.example.org/parley')
    .optional(),
  agent: filled.default('demo'),
  model: filled.optional(),
  anthropic: anthropicSchema.default({}),
  plugins: z.array(pluginEntry, 'must be a list').default([]),
  /** Settings of shipped plugins, by plugin name. */
  pluginConfigs: z.record(z.string(), z.unknown(), 'must hold settings by plugin name').default({}),
  /**
   * Policies by tool name (glob): whether a call is allowed, asked about or denied (APR3), who may be asked and who sees it
   * (TEAM1), how many people decide, and to whom it escalates (TEAM3, TEAM5).
   */
  policies: z.array(policyEntry).default([]),
  token: z
    .string('must be a string')
    .min(16, 'must have at least 16 characters')
    .refine((token) => new Set(token).size >= leastVariety, tooPlain)
    .optional(),
  auth: flag.default(true),
  behindProxy: flag.default(false),
  allowedOrigins: z.array(z.url('must be an address, as https://parley.example.org'), 'must be a list').default([]),
  frameAncestors: z
    .array(z.url({ protocol: /^https?$/, error: 'must be an address, as https://app.example.org' }), 'must be a list')
    .default([]),
  /** Folder for uploaded files, if not in the data directory: all servers on one database must share it. */
  filesDir: filled.optional(),
  durability: z.enum(['full', 'normal'], 'must be "full" or "normal"').default('full'),
  interactionTimeoutMs: duration.optional(),
  /** How long a prompt waits for people who were notified, and how long a page must be unused before they are (NTF1). */
  unwatchedTimeoutMs: duration.optional(),
  notifyAfterMs: duration.optional(),
  /** Address of the page for people, used by links in notifications (NTF3). */
  publicUrl: z.url({ protocol: /^https?$/, error: 'must be an address, as https://parley.example.org' }).optional(),
  /** Contact of the operator, for push services (NTF2). */
  pushContact: z
    .string()
    .regex(/^(mailto:|https:\/\/)\S+$/, 'must begin with mailto: or https://')
    .optional(),
  /** Whether notifications may be sent to private network addresses (NTF2, NTF3). */
  privateReceivers: flag.default(false),
  /** Notifiers of plugins, with their recipients (NTF3). */
  notifiers: z.array(notifierSchema, 'must be a list').default([]),
  toolTimeoutMs: duration.optional(),
  /** How long loading a plugin may take, and how long its `setup` may take (PLG1). */
  setupTimeoutMs: duration.default(defaultDurations.setupTimeoutMs),
  /** How long a prompt stays answerable after its tool went on without the answer (INT9). */
  pendingTtlMs: duration.optional(),
  /** How long a call over MCP waits before its caller has to ask again (ASK6). */
  mcpWaitMs: duration.optional(),
  /** How long after entering the token a login may do the riskiest actions (SEC9); 0 or null: always. */
  freshLoginMs: z
    .int(millisecondsOrNone)
    .nonnegative(millisecondsOrNone)
    .refine((ms) => ms === 0 || ms >= leastFreshMs, `must be 0 for any time, or at least ${leastFreshMs}`)
    .nullable()
    .optional(),
  /** Frames per second that a connection may send (SEC6). */
  framesPerSecond: z.int(frameCount).positive(frameCount).optional(),
  /** File or http address to which rows of the audit are sent (SEC7). */
  auditSink: filled.optional(),
  /** Limits of a turn (AGT8). */
  maxRounds: z.int(roundCount).positive(roundCount).optional(),
  tokenBudget: z.int(tokenCount).positive(tokenCount).optional(),
  /** Maximum number of sockets that have not sent `hello`; one address may have half of them (SEC11). */
  unadmittedSockets: z.int(socketCount).positive(socketCount).optional(),
  quotas: quotasSchema.default({}),
  /** Maximum age and number of finished sessions; older ones are deleted (OPS6). */
  retention: z.strictObject({ maxAgeMs: duration.exactOptional(), maxSessions: quota }).default({}),
  json: flag.default(false),
  open: flag.default(false),
  watch: flag.default(false),
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`).optional(),
});

export type Settings = z.infer<typeof settingsSchema> & {
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

/** The command line as commander parses it. */
export type Flags = Partial<
  Record<
    'auditSink' | 'port' | 'host' | 'dataDir' | 'store' | 'agent' | 'model' | 'token' | 'config' | 'logLevel',
    string
  >
> &
  Partial<Record<'auth' | 'behindProxy' | 'json' | 'open' | 'watch' | 'trust', boolean>> & { plugin?: string[] };

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
  const merged = { ...file, ...fromEnv, ...fromFlags };
  if (Array.isArray(file.plugins)) merged.plugins = [...file.plugins, ...(flags.plugin ?? fromEnv.plugins ?? [])];
  const parsed = settingsSchema.safeParse(merged, { error: describeSettingIssue });
  const sources = { fromFlags, fromEnv, configFile };
  if (!parsed.success)
    throw new SettingsError(parsed.error.issues.map((issue) => describeFault(issue, sources)).join('\n'));
  const dataDir = resolve(cwd, parsed.data.dataDir);
  if (statSync(dataDir, { throwIfNoEntry: false })?.isFile()) {
    throw new SettingsError(`${placeOf(['dataDir'], sources)}: ${dataDir} is a file, and must be a folder`);
  }
  const isDataDirNamed = [flags.dataDir, fromEnv.dataDir, isFound ? undefined : file.dataDir].some(Boolean);
  const found = isFound && configFile !== undefined ? configSubjects(configFile, file, cwd) : [];
  if (!isDataDirNamed) refuseLinks(dataDir, cwd);
  const store = isDataDirNamed ? undefined : dataDirSubject(dataDir);
  await trust?.require(store ? [...found, store] : found);
  const isDataDirFound = !isDataDirNamed || dataDir === resolve(cwd, defaultDataDir);
  const isAddressFound =
    isFound && ['host', 'port'].some((name) => name in file && !(name in fromEnv || name in fromFlags));
  const isPortNamed = merged.port !== undefined && parsed.data.port !== 0;
  // A folder that somebody else put here must not decide where the token is sent.
  const isOwn = () => isOwnDataDir({ dataDir, isDataDirNamed }, openTrust(env, false));
  const lastPort = trust || isPortNamed || !isOwn() ? undefined : readLastPort(dataDir);
  const port = lastPort ?? parsed.data.port;
  const places = { isAddressFound, isPortKept: lastPort !== undefined, isDataDirNamed, isDataDirFound };
  return { ...parsed.data, port, dataDir, configFile, ...places };
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

function findConfigFile(named: string | undefined, cwd: string): string | undefined {
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

/** Plugin paths are relative to the config file that names them. */
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
  store: 'PARLEY_STORE',
  agent: 'PARLEY_AGENT',
  model: 'PARLEY_MODEL',
  token: 'PARLEY_TOKEN',
  auth: 'PARLEY_AUTH',
  behindProxy: 'PARLEY_BEHIND_PROXY',
  filesDir: 'PARLEY_FILES_DIR',
  durability: 'PARLEY_DURABILITY',
  interactionTimeoutMs: 'PARLEY_INTERACTION_TIMEOUT_MS',
  unwatchedTimeoutMs: 'PARLEY_UNWATCHED_TIMEOUT_MS',
  notifyAfterMs: 'PARLEY_NOTIFY_AFTER_MS',
  publicUrl: 'PARLEY_PUBLIC_URL',
  pushContact: 'PARLEY_PUSH_CONTACT',
  privateReceivers: 'PARLEY_PRIVATE_RECEIVERS',
  toolTimeoutMs: 'PARLEY_TOOL_TIMEOUT_MS',
  setupTimeoutMs: 'PARLEY_SETUP_TIMEOUT_MS',
  pendingTtlMs: 'PARLEY_PENDING_TTL_MS',
  mcpWaitMs: 'PARLEY_MCP_WAIT_MS',
  freshLoginMs: 'PARLEY_FRESH_LOGIN_MS',
  framesPerSecond: 'PARLEY_FRAMES_PER_SECOND',
  auditSink: 'PARLEY_AUDIT_SINK',
  maxRounds: 'PARLEY_MAX_ROUNDS',
  tokenBudget: 'PARLEY_TOKEN_BUDGET',
  unadmittedSockets: 'PARLEY_UNADMITTED_SOCKETS',
  logLevel: 'PARLEY_LOG_LEVEL',
} as const;

const listNames = {
  plugins: 'PARLEY_PLUGINS',
  allowedOrigins: 'PARLEY_ALLOWED_ORIGINS',
  frameAncestors: 'PARLEY_FRAME_ANCESTORS',
} as const;

interface Partials {
  readonly [name: string]: unknown;
  readonly plugins?: string[];
}

function readEnvironment(env: Environment): Partials {
  const set = Object.entries(environmentNames).filter(([, name]) => env[name] !== undefined && env[name] !== '');
  const lists = Object.entries(listNames).flatMap(([key, name]) => (env[name] ? [[key, env[name].split(',')]] : []));
  return Object.fromEntries([...set.map(([key, name]) => [key, readText(key, env[name] ?? '')]), ...lists]);
}

const numbers = new Set([
  'port',
  'interactionTimeoutMs',
  'unwatchedTimeoutMs',
  'notifyAfterMs',
  'toolTimeoutMs',
  'setupTimeoutMs',
  'pendingTtlMs',
  'mcpWaitMs',
  'freshLoginMs',
  'framesPerSecond',
  'unadmittedSockets',
  'maxRounds',
  'tokenBudget',
]);
const switches = new Set(['auth', 'behindProxy', 'privateReceivers']);

/** Converts a flag or variable to its setting's type; what does not convert stays a string, which the schema rejects. */
function readText(key: string, text: string): unknown {
  if (numbers.has(key) && /^\d+$/.test(text)) return Number(text);
  const isOn = switches.has(key) ? z.stringbool().safeParse(text).data : undefined;
  return isOn ?? text;
}

/** Returns the flags that were given. Commander reports `auth: true` if `--no-auth` was not: that is a default, not a flag. */
function readFlags({ config: _, trust: __, plugin, auth, port, ...flags }: Flags): Partials {
  return {
    ...flags,
    ...(port !== undefined && { port: readText('port', port) }),
    ...(auth === false && { auth }),
    ...(plugin && { plugins: plugin }),
  };
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
  const known = path.length === 0 ? Object.keys(settingsSchema.shape) : [];
  return keys.map((key) => `there is no setting "${key}".${suggestName(key, known)}`).join(' ');
}

function placeOf(path: readonly string[], { fromFlags, fromEnv, configFile }: Sources): string {
  const [name] = path;
  if (name === undefined) return configFile ?? 'settings';
  if (name in fromFlags) return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (name in fromEnv) return { ...environmentNames, ...listNames }[name as 'port'];
  return `${configFile ?? 'settings'}: ${path.join('.')}`;
}
