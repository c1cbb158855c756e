import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** Wrong tokens from one address at one door within a minute; loopback is no exception (SEC2). */
const wrongTokensPerMinute = 10;

/** In seconds. Each further wrong one doubles what is left of the wait, up to the longest. */
const shortestWait = 60;
const longestWait = 3600;

/** How long the guesses of an address are refused. */
export interface Wait {
  readonly ms: number;
  /** This guess began it, or made it longer. */
  readonly isLonger: boolean;
}

/** Makes guessers wait longer with each guess, per address and door. It says nothing about right tokens: those are let in. */
export class GuessLimit {
  readonly #limiter = new RateLimiterMemory({ points: wrongTokensPerMinute, duration: shortestWait });

  /** Counts a wrong guess. Undefined while the address has some left. */
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
