import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Instant, type LoginStore, RefusalError } from '@parley/core';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Principal } from './client.ts';

/** How long a browser stays logged in. */
const loginMs = 30 * 24 * 3_600_000;

/** Wrong tokens from one address at one door within a minute; loopback is no exception (SEC2). */
const wrongTokensPerMinute = 10;

/** Where tokens are shown. Each counts on its own. */
export type Door = 'login' | 'hello' | 'bearer';

const owner: Principal = { id: 'owner', role: 'operator' };

/** A random 256-bit token, as printed once in the URL's fragment. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Who may come in: a token, or the cookie that a browser got for it. Without a token the door is open (`--no-auth`). */
export class Auth {
  readonly #tokenHash: Buffer | undefined;
  readonly #logins: LoginStore;
  readonly #now: () => Instant;
  readonly #onWrong: (door: Door) => void;
  readonly #wrong = new RateLimiterMemory({ points: wrongTokensPerMinute, duration: 60 });

  constructor(options: {
    token: string | undefined;
    logins: LoginStore;
    now: () => Instant;
    onWrong: (door: Door) => void;
  }) {
    this.#tokenHash = options.token === undefined ? undefined : hash(options.token);
    this.#logins = options.logins;
    this.#now = options.now;
    this.#onWrong = options.onWrong;
  }

  get isOpen(): boolean {
    return this.#tokenHash === undefined;
  }

  /**
   * Whom a token names; undefined for a wrong one, and for none. A right one is always let in: whoever else guesses from
   * its address, which on loopback is everybody's, keeps nobody out.
   * @throws RefusalError `rate_limited` for a wrong one where this address guessed too often
   */
  async checkToken(token: string | undefined, door: Door, address: string): Promise<Principal | undefined> {
    if (!this.#tokenHash) return owner;
    if (token === undefined) return undefined;
    if (timingSafeEqual(hash(token), this.#tokenHash)) return owner; // hashes: neither length nor content leaks
    this.#onWrong(door);
    await this.#wrong.consume(`${door} ${address}`).catch(() => {
      throw new RefusalError('rate_limited', { message: 'Too many wrong tokens.' });
    });
    return undefined;
  }

  async checkCookie(cookie: string | undefined): Promise<Principal | undefined> {
    if (!this.#tokenHash) return owner;
    if (cookie === undefined) return undefined;
    const isKnown = await this.#logins.has(hash(cookie).toString('hex'), new Date(this.#now()).toISOString());
    return isKnown ? owner : undefined;
  }

  /** A cookie's value for whoever has shown the token; only its hash is stored. */
  async login(): Promise<{ cookie: string; expires: Date }> {
    const cookie = makeToken();
    const expires = new Date(this.#now() + loginMs);
    await this.#logins.add(hash(cookie).toString('hex'), expires.toISOString());
    return { cookie, expires };
  }

  async logout(cookie: string): Promise<void> {
    await this.#logins.remove(hash(cookie).toString('hex'));
  }
}

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
