import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Wrong tokens allowed per minute from one address at one entry point, loopback included (SEC2). */
const wrongTokensPerMinute = 10;

/** Bounds of the wait, in seconds. Each further wrong token doubles the remaining wait, up to the longest. */
const shortestWait = 60;
const longestWait = 3600;

/** How long guesses from an address are rejected. */
export interface Wait {
  readonly ms: number;
  /** Whether this guess started or lengthened the wait. */
  readonly isLonger: boolean;
}

/** Makes guessers wait longer with each wrong token, per address and entry point. Right tokens are not affected. */
export class GuessLimit {
  readonly #limiter = new RateLimiterMemory({ points: wrongTokensPerMinute, duration: shortestWait });

  /** Counts a wrong guess. Returns undefined while the address has guesses left. */
  async count(door: string, address: string): Promise<Wait | undefined> {
    const key = `${door} ${address}`;
    const spent = await this.#limiter.consume(key).then(
      () => undefined,
      (result: RateLimiterRes) => result,
    );
    if (!spent) return undefined;
    const isFirst = spent.consumedPoints === wrongTokensPerMinute + 1;
    const left = Math.ceil(spent.msBeforeNext / 1000);
    const wait = isFirst ? shortestWait : Math.min(2 * left, longestWait);
    const isLonger = isFirst || wait > left;
    if (isLonger) await this.#limiter.block(key, wait);
    return { ms: wait * 1000, isLonger };
  }
}
