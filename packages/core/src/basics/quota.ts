/** What one person may spend, over all connections and all tokens of one owner (SEC11). `welcome` tells those whom they bind. */
export const quotas = {
  /** A person's connections at one time. */
  connections: 1000,
  /** Sessions that a person may create in an hour. */
  sessionsPerHour: 200,
  /** Sessions that a person created and nobody deleted. */
  ownedSessions: 20_000,
  /** Messages that a person may send in an hour: each starts a turn, at once or after those before it. */
  messagesPerHour: 1000,
  /** What a person's messages, answers and changes may add to logs in an hour, in bytes. */
  storedBytesPerHour: 32 * 1024 * 1024,
  /** What a person may upload in an hour, in bytes (PLG13). */
  uploadedBytesPerHour: 2 * 1024 * 1024 * 1024,
  /** Log-ins of browsers in an hour, and tokens shown again: each is a row of the audit. */
  loginsPerHour: 200,
  /** Log-ins with one token at one time: one more ends the oldest. */
  logins: 100,
} as const;

/** The name of a quota; metrics and refusals use it. */
export type Quota = keyof typeof quotas;

/** Those of which there is more as time passes. */
export type HourlyQuota = Exclude<Quota, 'connections' | 'ownedSessions' | 'logins'>;

/** How much of each. */
export type Quotas = Readonly<Record<Quota, number>>;
