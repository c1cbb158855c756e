import {
  burstSeconds,
  type HourlyQuota,
  type Limit,
  limits,
  type Matches,
  ownerOf,
  type Principal,
  type Quota,
  type Quotas,
  quotas,
  RefusalError,
  type SessionOwner,
  StoreError,
  TokenBucket,
} from '@parleyhq/core';
import {
  makeMatcher,
  noPeers,
  type PeerMessage,
  type PublishToPeers,
  Replicated,
  type SpendBytes,
} from '@parleyhq/runtime';

const hourMs = 3_600_000;

/** Quotas of one person that differ from the defaults, and whether operators are limited, too. */
export type QuotaOptions = { readonly [Name in Quota]?: number | undefined } & {
  readonly operators?: boolean | undefined;
};

/** Request rate of one person over HTTP: the same as the frame rate of one connection. */
type Pace = { readonly framesPerSecond?: number };

/** Amount charged to a quota. */
export type Cost = readonly [quota: HourlyQuota, amount: number];

/** Costs to add to the quotas of a person. */
export interface SpentMessage extends PeerMessage {
  readonly kind: 'spent';
  readonly person: string;
  readonly costs: readonly Cost[];
}

interface Account {
  readonly buckets: Readonly<Record<HourlyQuota, TokenBucket>>;
  /** Pattern matching, in ms of CPU time. */
  readonly patterns: TokenBucket;
  readonly requests: TokenBucket;
  usedAt: number;
}

/** Quotas that refuse a request. `logins` does not: the oldest log-in makes room. */
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
 * Counts what each person has spent recently (SEC11). A person is the owner of tokens, so a second token or another connection
 * gives no additional quota. People who have spent nothing for an hour are forgotten: their quota is full again anyway.
 */
export class QuotaService {
  readonly #most: Quotas;
  readonly #bindsOperators: boolean;
  readonly #reached: (limit: Quota | Limit) => void;
  readonly #now: () => number;
  /** Accounts by person, the least recently used first. */
  readonly #accounts = new Map<string, Account>();
  readonly #framesPerSecond: number;

  /** Number of connections here, by person. */
  readonly #connections = new Map<string, number>();
  /** Number of connections at each node, by person. */
  readonly connections = new Replicated('connections', () => [...this.#connections]);
  readonly #publishToPeers: PublishToPeers;

  /**
   * @param now - time in ms of any monotonic clock
   */
  constructor(
    { operators = false, framesPerSecond = limits.framesPerSecond, ...own }: QuotaOptions & Pace,
    reached: (limit: Quota | Limit) => void,
    now: () => number = () => performance.now(),
    publishToPeers: PublishToPeers = noPeers.publish,
  ) {
    const set = Object.entries(own).filter(([, most]) => most !== undefined);
    this.#most = { ...quotas, ...Object.fromEntries(set) };
    this.#bindsOperators = operators;
    this.#framesPerSecond = framesPerSecond;
    this.#reached = reached;
    this.#now = now;
    this.#publishToPeers = publishToPeers;
  }

  /** Number of accounts in memory. */
  get size(): number {
    return this.#accounts.size;
  }

  /** Returns the quotas that apply to a principal; empty for an operator who is not limited. */
  limitsOf({ role }: Principal): Partial<Quotas> {
    return role === 'operator' && !this.#bindsOperators ? {} : this.#most;
  }

  /** Counts a new connection until `leave`. @throws RefusalError `rate_limited` if its person has too many */
  enter(principal: Principal): void {
    const person = ownerOf(principal);
    const count = this.#connections.get(person) ?? 0;
    const others = this.connections.others.flat().filter(([name]) => name === person);
    const elsewhere = others.reduce((sum, [, each]) => sum + each, 0);
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

  /** Charges all of the costs or none. @throws RefusalError `rate_limited`, naming the quota and the time to wait */
  spend(principal: Principal, ...costs: readonly Cost[]): void {
    const most = this.limitsOf(principal);
    const bound = costs.filter(([quota]) => most[quota] !== undefined);
    if (bound.length === 0) return;
    const now = this.#now();
    const { buckets } = this.#accountOf(ownerOf(principal), now);
    // a full hour's quota pays for anything that fits in a frame
    const owed = bound.map(([quota, amount]) => [quota, Math.min(amount, this.#most[quota])] as const);
    for (const [quota, amount] of owed)
      if (!buckets[quota].holds(now, amount))
        throw this.#refuse(quota, words[quota](this.#most[quota]), buckets[quota]);
    for (const [quota, amount] of owed) buckets[quota].take(now, amount);
    this.#publishToPeers<SpentMessage>({ kind: 'spent', person: ownerOf(principal), costs: owed });
  }

  /** Charges what a person spent at another node, even if the total then exceeds the quota. */
  addSpent({ person, costs }: Omit<SpentMessage, 'kind'>): void {
    const now = this.#now();
    const { buckets } = this.#accountOf(person, now);
    for (const [quota, amount] of costs) {
      buckets[quota].holds(now, 0); // refills the bucket first
      buckets[quota].drain(amount);
    }
  }

  /**
   * Counts a request over HTTP, including those of operators.
   * @param count - how many requests a large one counts as; never more than a full burst
   * @throws RefusalError `rate_limited` if there are too many in a short time
   */
  pace(principal: Principal, count = 1): void {
    const now = this.#now();
    const { requests } = this.#accountOf(ownerOf(principal), now);
    if (!requests.take(now, Math.min(count, this.#framesPerSecond * burstSeconds)))
      throw this.#refuse('framesPerSecond', paceWords, requests);
  }

  /** Returns a function that charges the principal once for the bytes a command stores, plus `costs`. */
  payerOf(principal: Principal, ...costs: readonly Cost[]): SpendBytes {
    let isPaid = false;
    return (bytes) => {
      if (isPaid) return; // the command is decided again because an earlier one was undone
      this.spend(principal, ['storedBytesPerHour', bytes], ...costs);
      isPaid = true;
    };
  }

  /**
   * Returns a matcher for the patterns of one answer that charges CPU time to the person, operators included: all share the
   * processor.
   * @throws RefusalError `rate_limited` if they have used up the allowance of a minute
   */
  matcherOf(principal: Principal): Matches {
    const account = () => this.#accountOf(ownerOf(principal), this.#now());
    const spend = (ms: number) => account().patterns.drain(ms);
    const matches = makeMatcher(() => this.#reached('patternMs'), spend);
    let isChecked = false; // checked once, so that a valid answer is never cut off in the middle
    return (pattern, value) => {
      const { patterns } = account();
      if (!isChecked && !patterns.holds(this.#now())) throw this.#refuse('patternMsPerMinute', patternWords, patterns);
      isChecked = true;
      return matches(pattern, value);
    };
  }

  /** Returns the person and their limit for the store, which counts sessions because they outlast this process. */
  makerOf(principal: Principal): SessionOwner {
    return { person: ownerOf(principal), most: this.limitsOf(principal).ownedSessions };
  }

  /** Awaits the creation of a session and explains a store's `quota` error to the person. */
  async explain<T>(principal: Principal, creating: Promise<T>): Promise<T> {
    try {
      return await creating;
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'quota')) throw error;
      const { ownedSessions: most = 0 } = this.limitsOf(principal);
      throw this.#refuse('ownedSessions', `${words.ownedSessions(most)} Ask an operator to delete some.`);
    }
  }

  /** @param bucket - quota that refills, to compute the wait */
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

const paceWords = 'Too many requests.';
const patternWords = 'Checking your answers took too long.';

/** Makes full buckets: an hour's quota may be spent at once. */
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

/** Makes a full bucket: a minute's allowance may be spent at once. */
function fillPatterns(): TokenBucket {
  const burst = limits.patternMsPerMinute;
  return new TokenBucket({ perSecond: burst / 60, burst });
}

function describeWait(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  return `in ${Math.ceil(seconds / 60)} minutes`;
}
