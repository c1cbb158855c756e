import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Instant, LoginStore } from '@parley/core';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Principal } from './client.ts';

/** How long a browser stays logged in. */
const loginMs = 30 * 24 * 3_600_000;

/** Wrong tokens from one address within a minute; loopback is no exception (SEC2). */
const wrongTokensPerMinute = 10;

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
  readonly #wrong = new RateLimiterMemory({ points: wrongTokensPerMinute, duration: 60 });

  constructor(options: { token: string | undefined; logins: LoginStore; now: () => Instant }) {
    this.#tokenHash = options.token === undefined ? undefined : hash(options.token);
    this.#logins = options.logins;
    this.#now = options.now;
  }

  get isOpen(): boolean {
    return this.#tokenHash === undefined;
  }

  /** Compares hashes in constant time: neither length nor content leaks. */
  checkToken(token: string | undefined): Principal | undefined {
    if (!this.#tokenHash) return owner;
    return token !== undefined && timingSafeEqual(hash(token), this.#tokenHash) ? owner : undefined;
  }

  async checkCookie(cookie: string | undefined): Promise<Principal | undefined> {
    if (!this.#tokenHash) return owner;
    if (cookie === undefined) return undefined;
    const isKnown = await this.#logins.has(hash(cookie).toString('hex'), new Date(this.#now()).toISOString());
    return isKnown ? owner : undefined;
  }

  /** Exchanges a token for a cookie's value; only its hash is stored. */
  async login(token: string | undefined): Promise<{ cookie: string; expires: Date } | undefined> {
    if (!this.checkToken(token)) return undefined;
    const cookie = makeToken();
    const expires = new Date(this.#now() + loginMs);
    await this.#logins.add(hash(cookie).toString('hex'), expires.toISOString());
    return { cookie, expires };
  }

  async logout(cookie: string): Promise<void> {
    await this.#logins.remove(hash(cookie).toString('hex'));
  }

  /** Whether this address guessed too often. */
  async isLimited(address: string): Promise<boolean> {
    const guesses = await this.#wrong.get(address);
    return (guesses?.consumedPoints ?? 0) >= wrongTokensPerMinute;
  }

  async countWrong(address: string): Promise<void> {
    await this.#wrong.consume(address).catch(() => undefined); // rejects when the limit is reached, which is what it counts
  }
}

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
