import {
  burstSeconds,
  type HourlyQuota,
  type Limit,
  limits,
  type Maker,
  type Matches,
  ownerOf,
  type Principal,
  type Quota,
  type Quotas,
  quotas,
  RefusalError,
  StoreError,
  TokenBucket,
} from '@parleyhq/core';
import { makeMatcher } from '../tools/pattern-matcher.ts';

const hourMs = 3_600_000;

/** How much one person may spend, where it is not the default, and whether operators are bound by it. */
export type QuotaOptions = { readonly [Name in Quota]?: number | undefined } & {
  readonly operators?: boolean | undefined;
};

/** The rate of one person's requests over HTTP: that of one connection's frames. */
type Pace = { readonly framesPerSecond?: number };

/** Takes so many bytes from the quota of whoever a command is performed for. @throws RefusalError `rate_limited` */
export type SpendBytes = (bytes: number) => void;

/** How much of a quota something takes. */
export type Cost = readonly [quota: HourlyQuota, amount: number];

interface Account {
  readonly buckets: Readonly<Record<HourlyQuota, TokenBucket>>;
  /** In ms of CPU time. */
  readonly patterns: TokenBucket;
  readonly requests: TokenBucket;
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
  uploadedBytesPerHour: (most) => `You may upload ${most} bytes an hour.`,
  storedBytesPerHour: (most) => `Your messages, answers and changes may have ${most} bytes an hour.`,
};

/**
 * What each person has spent lately (SEC11). A person is the owner of tokens, so neither a second token nor a new connection
 * brings more. Who has spent nothing for an hour is forgotten: by then they have as much as anybody new.
 */
export class QuotaBook {
  readonly #most: Quotas;
  readonly #bindsOperators: boolean;
  readonly #reached: (limit: Quota | Limit) => void;
  readonly #now: () => number;
  /** By person, the longest unused first. */
  readonly #accounts = new Map<string, Account>();
  readonly #framesPerSecond: number;

  /** By person: how many connections there are. */
  readonly #connections = new Map<string, number>();
  /** The same of the other nodes together (OPS4). */
  #elsewhere: ReadonlyMap<string, number> = new Map();
  readonly #onSpent: (person: string, costs: readonly Cost[]) => void;

  /**
   * @param now - in ms, of any monotonic clock
   * @param onSpent - hears what a person spent of which quotas, for other nodes to count, too
   */
  constructor(
    { operators = false, framesPerSecond = limits.framesPerSecond, ...own }: QuotaOptions & Pace,
    reached: (limit: Quota | Limit) => void,
    now: () => number = () => performance.now(),
    onSpent: (person: string, costs: readonly Cost[]) => void = () => undefined,
  ) {
    const set = Object.entries(own).filter(([, most]) => most !== undefined);
    this.#most = { ...quotas, ...Object.fromEntries(set) };
    this.#bindsOperators = operators;
    this.#framesPerSecond = framesPerSecond;
    this.#reached = reached;
    this.#now = now;
    this.#onSpent = onSpent;
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
    const elsewhere = this.#elsewhere.get(person) ?? 0;
    const { connections: most = Number.POSITIVE_INFINITY } = this.limitsOf(principal);
    if (count + elsewhere >= most) throw this.#refuse('connections', `${words.connections(most)} Close one first.`);
    this.#connections.set(person, count + 1);
  }

  leave(principal: Principal): void {
    const person = ownerOf(principal);
    const left = (this.#connections.get(person) ?? 1) - 1;
    if (left > 0) this.#connections.set(person, left);
    else this.#connections.delete(person);
  }

  /** Takes all of it or nothing. @throws RefusalError `rate_limited`, which says what was spent and when there is more */
  spend(principal: Principal, ...costs: readonly Cost[]): void {
    const most = this.limitsOf(principal);
    const bound = costs.filter(([quota]) => most[quota] !== undefined);
    if (bound.length === 0) return;
    const now = this.#now();
    const { buckets } = this.#accountOf(ownerOf(principal), now);
    // a full hour's worth pays for anything that a frame can hold
    const owed = bound.map(([quota, amount]) => [quota, Math.min(amount, this.#most[quota])] as const);
    for (const [quota, amount] of owed)
      if (!buckets[quota].holds(now, amount))
        throw this.#refuse(quota, words[quota](this.#most[quota]), buckets[quota]);
    for (const [quota, amount] of owed) buckets[quota].take(now, amount);
    this.#onSpent(ownerOf(principal), owed);
  }

  /** What a person spent at another node: it is spent, even where both together were too much. */
  hearSpent(person: string, costs: readonly Cost[]): void {
    const now = this.#now();
    const { buckets } = this.#accountOf(person, now);
    for (const [quota, amount] of costs) {
      buckets[quota].holds(now, 0); // what time has brought is counted first
      buckets[quota].drain(amount);
    }
  }

  /** How many connections each person has here. */
  get connections(): readonly (readonly [person: string, count: number])[] {
    return [...this.#connections];
  }

  /** What other nodes say of theirs. */
  hearConnections(counts: readonly (readonly [person: string, count: number])[]): void {
    const sums = new Map<string, number>();
    for (const [person, count] of counts) sums.set(person, (sums.get(person) ?? 0) + count);
    this.#elsewhere = sums;
  }

  /**
   * Counts a request over HTTP, an operator's, too.
   * @param count - how many requests a large one stands for; a full burst pays for any
   * @throws RefusalError `rate_limited` where there are too many in a short time
   */
  pace(principal: Principal, count = 1): void {
    const now = this.#now();
    const { requests } = this.#accountOf(ownerOf(principal), now);
    if (!requests.take(now, Math.min(count, this.#framesPerSecond * burstSeconds)))
      throw this.#refuse('framesPerSecond', paceWords, requests);
  }

  /** How what one command of a principal stores is paid for, once: its bytes, and whatever else it costs. */
  payerOf(principal: Principal, ...costs: readonly Cost[]): SpendBytes {
    let isPaid = false;
    return (bytes) => {
      if (isPaid) return; // decided again: what it was decided on was undone
      this.spend(principal, ['storedBytesPerHour', bytes], ...costs);
      isPaid = true;
    };
  }

  /**
   * Matches the patterns of one answer at the expense of its person, an operator's, too: all of them share the processor.
   * @throws RefusalError `rate_limited` where they have used up what a minute allows
   */
  matcherOf(principal: Principal): Matches {
    const account = () => this.#accountOf(ownerOf(principal), this.#now());
    const spend = (ms: number) => account().patterns.drain(ms);
    const matches = makeMatcher(() => this.#reached('patternMs'), spend);
    let isChecked = false; // once: what a valid answer needs is never cut off in the middle
    return (pattern, value) => {
      const { patterns } = account();
      if (!isChecked && !patterns.holds(this.#now())) throw this.#refuse('patternMsPerMinute', patternWords, patterns);
      isChecked = true;
      return matches(pattern, value);
    };
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
      throw this.#refuse('ownedSessions', `${words.ownedSessions(most)} Ask an operator to delete some.`);
    }
  }

  /** @param bucket - where time brings more */
  #refuse(limit: Quota | Limit, words: string, bucket?: TokenBucket): RefusalError {
    this.#reached(limit);
    if (!bucket) return new RefusalError('rate_limited', { message: words, details: { limit } });
    const retryAfterMs = Math.ceil(bucket.waitMs);
    const message = `${words} Try again ${describeWait(retryAfterMs)}.`;
    return new RefusalError('rate_limited', { message, details: { limit, retryAfterMs } });
  }

  #accountOf(person: string, usedAt: number): Account {
    this.#forget(usedAt);
    const account = this.#accounts.get(person) ?? this.#open(usedAt);
    account.usedAt = usedAt;
    this.#accounts.delete(person);
    this.#accounts.set(person, account);
    return account;
  }

  #open(usedAt: number): Account {
    const perSecond = this.#framesPerSecond;
    const requests = new TokenBucket({ perSecond, burst: perSecond * burstSeconds });
    return { buckets: fill(this.#most), patterns: fillPatterns(), requests, usedAt };
  }

  #forget(now: number): void {
    for (const [person, { usedAt }] of this.#accounts) {
      if (now - usedAt < hourMs) return;
      this.#accounts.delete(person);
    }
  }
}

const paceWords = 'These are too many requests.';
const patternWords = 'Checking your answers took too long.';

/** An hour's worth of each may be spent at once. */
function fill(most: Quotas): Account['buckets'] {
  const bucket = (quota: HourlyQuota) => new TokenBucket({ perSecond: most[quota] / 3600, burst: most[quota] });
  return {
    sessionsPerHour: bucket('sessionsPerHour'),
    messagesPerHour: bucket('messagesPerHour'),
    storedBytesPerHour: bucket('storedBytesPerHour'),
    loginsPerHour: bucket('loginsPerHour'),
    uploadedBytesPerHour: bucket('uploadedBytesPerHour'),
  };
}

/** A minute's worth may be spent at once. */
function fillPatterns(): TokenBucket {
  const burst = limits.patternMsPerMinute;
  return new TokenBucket({ perSecond: burst / 60, burst });
}

function describeWait(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `in ${Math.ceil(seconds / 60)} minutes`;
}
