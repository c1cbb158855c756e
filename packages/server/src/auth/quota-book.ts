import {
  type HourlyQuota,
  type Maker,
  ownerOf,
  type Principal,
  type Quota,
  type Quotas,
  quotas,
  RefusalError,
  StoreError,
  TokenBucket,
} from '@parleyhq/core';

const hourMs = 3_600_000;

/** How much one person may spend, where it is not the default, and whether operators are bound by it. */
export type QuotaOptions = { readonly [Name in Quota]?: number | undefined } & {
  readonly operators?: boolean | undefined;
};

/** Takes so many bytes from the quota of whoever a command is performed for. @throws RefusalError `rate_limited` */
export type SpendBytes = (bytes: number) => void;

interface Account {
  readonly buckets: Readonly<Record<HourlyQuota, TokenBucket>>;
  usedAt: number;
}

/** Of `logins` nothing is refused: the oldest makes room. */
type RefusedQuota = Exclude<Quota, 'logins'>;

const words: Readonly<Record<RefusedQuota, (most: number) => string>> = {
  connections: (most) => `You may have ${most} connections at once.`,
  sessionsPerHour: (most) => `You may create ${most} sessions an hour.`,
  ownedSessions: (most) => `You may have ${most} sessions.`,
  messagesPerHour: (most) => `You may send ${most} messages an hour.`,
  loginsPerHour: (most) => `You may log in ${most} times an hour.`,
  storedBytesPerHour: (most) => `Your messages, answers and changes may have ${most} bytes an hour.`,
};

/**
 * What each person has spent lately (SEC11). A person is the owner of tokens, so neither a second token nor a new connection
 * brings more. Who has spent nothing for an hour is forgotten: by then they have as much as anybody new.
 */
export class QuotaBook {
  readonly #most: Quotas;
  readonly #bindsOperators: boolean;
  readonly #reached: (quota: Quota) => void;
  readonly #now: () => number;
  /** By person, the longest unused first. */
  readonly #accounts = new Map<string, Account>();

  /** By person: how many connections there are. */
  readonly #connections = new Map<string, number>();

  /** @param now - in ms, of any monotonic clock */
  constructor(
    { operators = false, ...own }: QuotaOptions,
    reached: (quota: Quota) => void,
    now: () => number = () => performance.now(),
  ) {
    const set = Object.entries(own).filter(([, most]) => most !== undefined);
    this.#most = { ...quotas, ...Object.fromEntries(set) };
    this.#bindsOperators = operators;
    this.#reached = reached;
    this.#now = now;
  }

  /** How many people it remembers. */
  get size(): number {
    return this.#accounts.size;
  }

  /** What binds a principal, or nothing. */
  limitsOf({ role }: Principal): Partial<Quotas> {
    return role === 'operator' && !this.#bindsOperators ? {} : this.#most;
  }

  /** A connection is about to be admitted; `leave` ends it. @throws RefusalError `rate_limited` where its person has too many */
  enter(principal: Principal): void {
    const person = ownerOf(principal);
    const count = this.#connections.get(person) ?? 0;
    const { connections: most = Number.POSITIVE_INFINITY } = this.limitsOf(principal);
    if (count >= most) throw this.#refuse('connections', most, 'Close one first.');
    this.#connections.set(person, count + 1);
  }

  leave(principal: Principal): void {
    const person = ownerOf(principal);
    const left = (this.#connections.get(person) ?? 1) - 1;
    if (left > 0) this.#connections.set(person, left);
    else this.#connections.delete(person);
  }

  /** @throws RefusalError `rate_limited`, which says what was spent and when there is more */
  spend(principal: Principal, quota: HourlyQuota, amount = 1): void {
    const { [quota]: most } = this.limitsOf(principal);
    if (most === undefined) return;
    const now = this.#now();
    this.#forget(now);
    const bucket = this.#accountOf(principal, now).buckets[quota];
    if (bucket.take(now, Math.min(amount, most))) return; // a full hour's worth pays for anything that a frame can hold
    const retryAfterMs = Math.ceil(bucket.waitMs);
    throw this.#refuse(quota, most, `Try again ${describeWait(retryAfterMs)}.`, { retryAfterMs });
  }

  /** How the bytes that a principal's commands store are taken; undefined where none are counted. */
  bytesOf(principal: Principal): SpendBytes | undefined {
    const isBound = this.limitsOf(principal).storedBytesPerHour !== undefined;
    return isBound ? (bytes) => this.spend(principal, 'storedBytesPerHour', bytes) : undefined;
  }

  /** For the store, which counts sessions: they outlast this process. */
  makerOf(principal: Principal): Maker {
    return { person: ownerOf(principal), most: this.limitsOf(principal).ownedSessions };
  }

  /** Says in words for people where a store had no room for one more session of a principal. */
  async explain<T>(principal: Principal, creating: Promise<T>): Promise<T> {
    try {
      return await creating;
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'quota')) throw error;
      const { ownedSessions: most = 0 } = this.limitsOf(principal);
      throw this.#refuse('ownedSessions', most, 'Ask an operator to delete some.');
    }
  }

  #refuse(quota: RefusedQuota, most: number, advice: string, more: object = {}): RefusalError {
    this.#reached(quota);
    const message = `${words[quota](most)} ${advice}`;
    return new RefusalError('rate_limited', { message, details: { limit: quota, ...more } });
  }

  #accountOf(principal: Principal, usedAt: number): Account {
    const person = ownerOf(principal);
    const account = this.#accounts.get(person) ?? { buckets: fill(this.#most), usedAt };
    account.usedAt = usedAt;
    this.#accounts.delete(person);
    this.#accounts.set(person, account);
    return account;
  }

  #forget(now: number): void {
    for (const [person, { usedAt }] of this.#accounts) {
      if (now - usedAt < hourMs) return;
      this.#accounts.delete(person);
    }
  }
}

/** An hour's worth of each may be spent at once. */
function fill(most: Quotas): Account['buckets'] {
  const bucket = (quota: HourlyQuota) => new TokenBucket({ perSecond: most[quota] / 3600, burst: most[quota] });
  return {
    sessionsPerHour: bucket('sessionsPerHour'),
    messagesPerHour: bucket('messagesPerHour'),
    storedBytesPerHour: bucket('storedBytesPerHour'),
    loginsPerHour: bucket('loginsPerHour'),
  };
}

function describeWait(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `in ${Math.ceil(seconds / 60)} minutes`;
}
