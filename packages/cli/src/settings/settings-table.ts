import { defaultSuggestAfter, limits } from '@parleyhq/core';
import { defaultDurations as durations } from '@parleyhq/server';
import type { SettingType, ValueOf } from './setting-types.ts';

export interface Setting {
  /** Which values it takes, in the config file and as a text. */
  readonly type: SettingType;
  /** Its value if nothing names one. Without it, the setting is undefined then. */
  readonly default?: unknown;
  /** Its flag of `serve`, in commander's notation. */
  readonly flag?: string;
  /** What the help says about the flag; without it, the flag is hidden. */
  readonly help?: string;
  /** Whether it cannot be set by a variable, although its type can be read from a text. */
  readonly isFlagOnly?: true;
}

/**
 * Every setting, by its key in the config file. Its variable is named after the key: `PARLEY_DATA_DIR` for `dataDir`. A test
 * compares docs/operations.md, which has the meanings, with this table. Loaded by `--help`, so it must not import the schemas.
 */
export const settingsTable = {
  port: { type: 'port', default: 7420, flag: '--port <number>', help: 'port to listen on; 0 takes a free one' },
  host: { type: 'host', default: '127.0.0.1', flag: '--host <address>', help: 'address to bind' },
  dataDir: { type: 'text', default: '.parley', flag: '--data-dir <folder>', help: 'the data directory' },
  store: {
    type: 'database',
    flag: '--store <address>',
    help: 'a PostgreSQL database, for several servers on the same sessions',
  },
  agent: {
    type: 'text',
    default: 'demo',
    flag: '--agent <name>',
    help: "the agent of new sessions: demo, anthropic or a plugin's own",
  },
  model: { type: 'text', flag: '--model <name>', help: 'the model that agents use' },
  anthropic: { type: 'anthropic', default: {} },
  plugins: { type: 'plugins', default: [], flag: '--plugin <path or package>', help: 'load a plugin; repeatable' },
  pluginConfigs: { type: 'pluginConfigs', default: {} },
  policies: { type: 'policies', default: [] },
  reviewers: { type: 'reviewers', default: [] },
  stepUp: { type: 'stepUp' },
  suggestAfter: { type: 'approvals', default: defaultSuggestAfter },
  token: {
    type: 'token',
    flag: '--token <token>',
    help: 'the access token (default: a random one, printed once)',
  },
  auth: { type: 'switch', default: true, flag: '--no-auth', help: 'let anyone on this machine in; loopback only' },
  oidc: { type: 'oidc' },
  behindProxy: {
    type: 'switch',
    default: false,
    flag: '--behind-proxy',
    help: 'a TLS proxy is in front of this server',
  },
  allowedOrigins: { type: 'origins', default: [] },
  frameAncestors: {
    type: 'webOrigins',
    default: [],
    flag: '--frame-ancestors <origins>',
    help: 'origins whose pages may frame the page; separated by commas',
  },
  filesDir: { type: 'text' },
  durability: { type: 'durability', default: 'full' },
  interactionTimeoutMs: { type: 'milliseconds', default: durations.interactionTimeoutMs },
  unwatchedTimeoutMs: { type: 'milliseconds', default: durations.unwatchedTimeoutMs },
  notifyAfterMs: { type: 'milliseconds', default: durations.notifyAfterMs },
  publicUrl: { type: 'webAddress' },
  pushContact: { type: 'contact' },
  privateReceivers: { type: 'switch', default: false },
  notifiers: { type: 'notifiers', default: [] },
  toolTimeoutMs: { type: 'milliseconds', default: durations.toolTimeoutMs },
  setupTimeoutMs: { type: 'milliseconds', default: durations.setupTimeoutMs },
  pendingTtlMs: { type: 'milliseconds', default: durations.pendingTtlMs },
  hibernateAfterMs: { type: 'milliseconds', default: durations.hibernateAfterMs },
  mcpWaitMs: { type: 'milliseconds', default: durations.mcpWaitMs },
  freshLoginMs: { type: 'freshness', default: durations.freshLoginMs },
  framesPerSecond: { type: 'frames', default: limits.framesPerSecond },
  auditSink: {
    type: 'text',
    flag: '--audit-sink <file or url>',
    help: 'append each row of the audit to a file, or post it to an address',
  },
  maxRounds: { type: 'messages' },
  tokenBudget: { type: 'tokens' },
  unadmittedSockets: { type: 'sockets', default: limits.unadmittedSockets },
  quotas: { type: 'quotas', default: {} },
  retention: { type: 'retention', default: {} },
  json: {
    type: 'switch',
    default: false,
    isFlagOnly: true,
    flag: '--json',
    help: 'print one line of JSON when ready, and nothing else',
  },
  open: { type: 'switch', default: false, isFlagOnly: true, flag: '--open', help: 'open the page in a browser' },
  watch: {
    type: 'switch',
    default: false,
    isFlagOnly: true,
    flag: '--watch',
    help: 'restart when a plugin or the config file changes',
  },
  logLevel: { type: 'logLevel', flag: '--log-level <level>' },
} as const satisfies Readonly<Record<string, Setting>>;

type Table = typeof settingsTable;
export type SettingKey = keyof Table;

/** The settings, each with its value or default. */
export type SettingValues = {
  [Key in SettingKey]: ValueOf<Table[Key]['type']> | (Table[Key] extends { default: unknown } ? never : undefined);
};

export const settingRows: readonly (readonly [SettingKey, Setting])[] = Object.entries(settingsTable) as [
  SettingKey,
  Setting,
][];
