/**
 * What one person may use, over all their connections and all tokens of one owner (SEC11). `welcome` sends them to the clients
 * they apply to.
 */
export const quotas = {
  /** Simultaneous connections. */
  connections: 1000,
  /** Sessions created per hour. */
  sessionsPerHour: 200,
  /** Existing sessions that the person created. */
  ownedSessions: 20_000,
  /** Messages sent per hour; each starts a turn, at once or later. */
  messagesPerHour: 1000,
  /** Bytes that a person's messages, answers and changes may add to logs per hour. */
  storedBytesPerHour: 32 * 1024 * 1024,
  /** Uploaded bytes per hour (PLG13). */
  uploadedBytesPerHour: 2 * 1024 * 1024 * 1024,
  /** Browser log-ins and confirmations of a token per hour; each is a row of the audit. */
  loginsPerHour: 200,
  /** Simultaneous log-ins with one token; one more ends the oldest. */
  logins: 100,
} as const;

/** The name of a quota; metrics and refusals use it. */
export type Quota = keyof typeof quotas;

/** Quotas that replenish with time. */
export type HourlyQuota = Exclude<Quota, 'connections' | 'ownedSessions' | 'logins'>;

/** Amount for each quota. */
export type Quotas = Readonly<Record<Quota, number>>;
