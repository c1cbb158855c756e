import { audienceSchema, escalationSchema, quorumSchema, reviewedRisks } from '@parleyhq/core';
import * as z from 'zod';
import { notifierSchema } from './notifier-settings.ts';
import { oidcSchema } from './oidc-setting.ts';

const text = z.string('must be a string').min(1, 'must not be empty');
const flag = z.boolean('must be true or false');

/** A whole number above 0. @param unit - what it counts, as ` of frames` */
function count(unit = '') {
  const words = `must be a whole number${unit} above 0`;
  return z.int(words).positive(words);
}

const milliseconds = count(' of milliseconds');
const tokens = count(' of tokens');
const quota = count().exactOptional();

const hostAlone = 'must be a name or an address alone, as 127.0.0.1: the port has a flag of its own';
const webAddress = (example: string) =>
  z.url({ protocol: /^https?$/, error: `must be an address, as https://${example}.example.org` });

/** How many different characters a chosen token must have; a random one of 16 hexadecimal digits has more. */
const leastVariety = 5;
const tooPlain = `must have at least ${leastVariety} different characters: "openssl rand -hex 32" makes a good one`;
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

const texts = {
  text,
  host: text.regex(/^[^/\s]+$/, hostAlone),
  /** A PostgreSQL database (OPS4). */
  database: z
    .string()
    .regex(/^postgres(ql)?:\/\/\S+$/, 'must be the address of a database, as postgres://parley@db.example.org/parley'),
  token: z
    .string('must be a string')
    .min(16, 'must have at least 16 characters')
    .refine((token) => new Set(token).size >= leastVariety, tooPlain),
  webAddress: webAddress('parley'),
  contact: z.string().regex(/^(mailto:|https:\/\/)\S+$/, 'must begin with mailto: or https://'),
  durability: z.enum(['full', 'normal'], 'must be "full" or "normal"'),
  logLevel: z.enum(logLevels, `must be one of ${logLevels.join(', ')}`),
};

const portNumber = 'must be a whole number from 0 to 65535';
/** The shortest freshness of a login, in ms: with less, the page would ask for the token again and again. */
const leastFreshMs = 60_000;
const millisecondsOrNone = 'must be a whole number of milliseconds, or 0 for any time';

/** More answers than this are not read back. */
const mostSuggestAfter = 100;
const approvalsOrNone = `must be a whole number of approvals from 0 to ${mostSuggestAfter}`;

const numbers = {
  port: z.int(portNumber).min(0, portNumber).max(65_535, portNumber),
  milliseconds,
  /** In ms (SEC9); 0 or null: always. */
  freshness: z
    .int(millisecondsOrNone)
    .nonnegative(millisecondsOrNone)
    .refine((ms) => ms === 0 || ms >= leastFreshMs, `must be 0 for any time, or at least ${leastFreshMs}`)
    .nullable(),
  frames: count(' of frames'),
  messages: count(' of messages'),
  tokens,
  sockets: count(' of sockets'),
  approvals: z.int(approvalsOrNone).min(0, approvalsOrNone).max(mostSuggestAfter, approvalsOrNone),
};

const pluginEntry = z.union([z.string(), z.strictObject({ module: z.string(), config: z.unknown().optional() })], {
  error: 'must be a path, a package, or { "module": …, "config": … }',
});

const lists = {
  plugins: z.array(pluginEntry, 'must be a list'),
  origins: z.array(z.url('must be an address, as https://parley.example.org'), 'must be a list'),
  webOrigins: z.array(webAddress('app'), 'must be a list'),
};

const audience = z.strictObject(audienceSchema.shape);

const share = 'must be a number from 0 to 1';
const reviewerName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be letters, digits, "-" and "_"');

/** Members of a policy that say how its reviewer reviews (LESS3). */
const reviewing = {
  reviewer: reviewerName.optional(),
  maxRisk: z.enum(reviewedRisks, 'must be "low" or "medium": high risk is for people').optional(),
  sample: z.number(share).min(0, share).max(1, share).optional(),
  timeoutMs: milliseconds.optional(),
};

const policy = z
  .strictObject({
    tool: text,
    effect: z.enum(['allow', 'review', 'ask', 'deny'], 'must be "allow", "review", "ask" or "deny"').optional(),
    ...reviewing,
    audience: audience.optional(),
    decide: z.strictObject(quorumSchema.shape).optional(),
    escalate: z
      .array(z.strictObject({ ...escalationSchema.shape, afterMs: milliseconds, audience }))
      .min(1)
      .optional(),
    visibility: z.literal('audience', 'must be "audience"').optional(),
  })
  .refine(
    ({ tool: _, ...said }) => Object.values(said).some((member) => member !== undefined),
    'must have an "effect", an "audience", a "decide", an "escalate" or a "visibility"',
  )
  .check(({ value, issues }) => {
    const isReview = value.effect === 'review';
    if (isReview && value.reviewer === undefined)
      issues.push({ code: 'custom', input: value, path: ['reviewer'], message: 'must name the reviewer' });
    for (const name of Object.keys(reviewing) as (keyof typeof reviewing)[])
      if (!isReview && value[name] !== undefined)
        issues.push({ code: 'custom', input: value, path: [name], message: 'is only for the effect "review"' });
  });

const riskWords = 'must be "low", "medium", "high", or { "risk": …, "tools": […] }';
const risk = z.enum(['low', 'medium', 'high'], riskWords);

/** Which prompts demand a passkey (SIGN2). */
const stepUp = z.union(
  [
    risk.transform((least) => ({ risk: least })),
    z
      .strictObject({ risk, tools: z.array(text).min(1, riskWords) })
      .partial()
      .refine((said) => Object.keys(said).length > 0, riskWords),
  ],
  { error: riskWords },
);

/** A reviewer of a plugin, under a name that policies use, with its own settings. */
const reviewer = z.strictObject({
  reviewer: reviewerName,
  name: reviewerName.optional(),
  config: z.record(z.string(), z.unknown(), 'must be an object').optional(),
});

const objects = {
  /** The agent `anthropic`; its key comes from the environment only. */
  anthropic: z.strictObject({
    baseUrl: z.url('must be an address, as https://models.example.org').exactOptional(),
    system: text.exactOptional(),
    maxTokens: tokens.exactOptional(),
    thinking: z
      .union([z.enum(['adaptive', 'off']), z.int().min(1024)], {
        error: 'must be "adaptive", "off" or a whole number of tokens from 1024',
      })
      .exactOptional(),
    cacheTtl: z.enum(['5m', '1h']).exactOptional(),
    stallMs: milliseconds.exactOptional(),
  }),
  pluginConfigs: z.record(z.string(), z.unknown(), 'must hold settings by plugin name'),
  policies: z.array(policy),
  reviewers: z.array(reviewer, 'must be a list'),
  stepUp,
  notifiers: z.array(notifierSchema, 'must be a list'),
  oidc: oidcSchema,
  /** Quotas per person (SEC11). */
  quotas: z.strictObject({
    connections: quota,
    sessionsPerHour: quota,
    ownedSessions: quota,
    messagesPerHour: quota,
    storedBytesPerHour: quota,
    uploadedBytesPerHour: quota,
    loginsPerHour: quota,
    logins: quota,
    operators: flag.exactOptional(),
  }),
  retention: z.strictObject({ maxAgeMs: milliseconds.exactOptional(), maxSessions: quota }),
};

/** The schemas of the values of settings, by type. */
export const settingTypes = { ...texts, ...numbers, switch: flag, ...lists, ...objects };

export type SettingType = keyof typeof settingTypes;
export type ValueOf<Type extends SettingType> = z.infer<(typeof settingTypes)[Type]>;

/** Whether a text, as in a flag or a variable, can be a value of the type: objects only fit into the config file. */
export function isReadable(type: SettingType): boolean {
  return !(type in objects);
}

/** Reads a text as a value of the type. What cannot be read stays a text, which the schema rejects. */
export function readText(type: SettingType, text: string): unknown {
  if (type in lists) return text.split(',');
  if (type in numbers) return /^\d+$/.test(text) ? Number(text) : text;
  return type === 'switch' ? (z.stringbool().safeParse(text).data ?? text) : text;
}
