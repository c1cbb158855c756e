import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type AccessToken, type Instant, type Principal, RefusalError, type Store } from '@parleyhq/core';
import { RateLimiterMemory } from 'rate-limiter-flexible';

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

/** How a token is stored. */
export function hashToken(token: string): string {
  return hash(token).toString('hex');
}

/**
 * Who may come in: the server's own token, one of those that were made beside it, or the cookie that a browser got for either.
 * Without a token the door is open (`--no-auth`).
 */
export class Auth {
  readonly #tokenHash: Buffer | undefined;
  readonly #store: Pick<Store, 'logins' | 'tokens'>;
  readonly #now: () => Instant;
  readonly #onWrong: (door: Door) => void;
  /** Whom a stored token names. */
  readonly #issued = new WeakSet<Principal>();
  readonly #wrong = new RateLimiterMemory({ points: wrongTokensPerMinute, duration: 60 });

  constructor(options: {
    token: string | undefined;
    store: Pick<Store, 'logins' | 'tokens'>;
    now: () => Instant;
    onWrong: (door: Door) => void;
  }) {
    this.#tokenHash = options.token === undefined ? undefined : hash(options.token);
    this.#store = options.store;
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
    const given = hash(token);
    if (timingSafeEqual(given, this.#tokenHash)) return owner; // hashes: neither length nor content leaks
    const stored = await this.#store.tokens.find({ hash: given.toString('hex') }, this.#now());
    if (stored) return await this.#issue(stored);
    this.#onWrong(door);
    await this.#wrong.consume(`${door} ${address}`).catch(() => {
      throw new RefusalError('rate_limited', { message: 'Too many wrong tokens.' });
    });
    return undefined;
  }

  async checkCookie(cookie: string | undefined): Promise<Principal | undefined> {
    if (!this.#tokenHash) return owner;
    if (cookie === undefined) return undefined;
    const { logins, tokens } = this.#store;
    const login = await logins.find(hashToken(cookie), this.#now());
    if (!login || login.tokenId === undefined) return login && owner;
    const token = await tokens.find({ id: login.tokenId }, this.#now());
    return token && (await this.#issue(token));
  }

  /** A cookie's value for whoever has shown a token; only its hash is stored. It is good for nothing without that token. */
  async login(principal: Principal): Promise<{ cookie: string; expires: Date }> {
    const cookie = makeToken();
    const expires = new Date(this.#now() + loginMs);
    const made = this.#issued.has(principal) ? { tokenId: principal.id } : {};
    await this.#store.logins.add(hashToken(cookie), { expiresAt: expires.toISOString(), ...made });
    return { cookie, expires };
  }

  async logout(cookie: string): Promise<void> {
    await this.#store.logins.remove(hashToken(cookie));
  }

  /** Whether the token that named this principal is still one; another process may have revoked it. */
  async isCurrent(principal: Principal): Promise<boolean> {
    if (!this.#issued.has(principal)) return true;
    return (await this.#store.tokens.find({ id: principal.id }, this.#now())) !== undefined;
  }

  async #issue({ id, name, role, owner: tokenOwner, sessions }: AccessToken): Promise<Principal> {
    const principal: Principal = {
      id,
      role,
      ...(name !== undefined && { name }),
      ...(tokenOwner !== undefined && { owner: tokenOwner }),
      ...(sessions && { sessions }),
      ...(name !== undefined && (await this.#isShared(name, id)) && { hasNamesake: true }),
    };
    this.#issued.add(principal);
    return principal;
  }

  /** Whether a name is another token's, too, or its id: stores of earlier releases may hold such. */
  async #isShared(name: string, id: string): Promise<boolean> {
    const others = (await this.#store.tokens.list()).filter((token) => token.id !== id);
    return name === owner.id || others.some((other) => other.name === name || other.id === name);
  }
}

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
