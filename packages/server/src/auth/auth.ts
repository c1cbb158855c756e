import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type AccessToken,
  authorityOf,
  type Credential,
  type Instant,
  type Login,
  type LoginCodeStore,
  ownerId,
  type Principal,
  RefusalError,
  type SessionId,
  type Store,
} from '@parleyhq/core';
import { GuessLimit, type Wait } from './guess-limit.ts';
import { OwnLoginCodes } from './own-login-codes.ts';

/** How long a browser stays logged in. */
const loginMs = 30 * 24 * 3_600_000;

/** Where tokens are shown. Each counts on its own. */
export type Door = 'login' | 'hello' | 'bearer';

/** Who was let in, and by what. */
export interface Admission {
  readonly principal: Principal;
  readonly credential: Credential;
}

/** A wrong token: where it was shown, from where, and how long further ones are refused, if they are. */
export interface WrongToken {
  readonly door: Door;
  readonly address: string;
  readonly wait: Wait | undefined;
}

/** Where a login comes from, as far as its browser says. */
export type LoginOrigin = Pick<Login, 'userAgent' | 'address'>;

/** The holder of the server's own token. */
const owner: Principal = { id: ownerId, role: 'operator' };

/** Without a credential that could end: the server's own token ends with the server. */
const ownerAdmission: Admission = { principal: owner, credential: {} };

/** A random 256-bit token. The prefix lets people and scanners recognise one that was left somewhere. */
export function makeToken(): string {
  return `parley_${makeSecret()}`;
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
  readonly #channelsOf: (principal: string) => Promise<readonly SessionId[]>;
  readonly #now: () => Instant;
  readonly #freshLoginMs: number;
  readonly #onWrong: (wrong: WrongToken) => void;
  readonly #codes: LoginCodeStore;
  readonly #nodeId: string;
  readonly #guesses = new GuessLimit();

  constructor(options: {
    token: string | undefined;
    store: Pick<Store, 'logins' | 'tokens' | 'loginCodes'>;
    /** Which of several nodes this is. */
    nodeId: string;
    /** The sessions of an asker (ASK2). */
    channelsOf: (principal: string) => Promise<readonly SessionId[]>;
    now: () => Instant;
    /** How long a log-in may do the riskiest acts (SEC9). */
    freshLoginMs: number;
    onWrong: (wrong: WrongToken) => void;
  }) {
    this.#tokenHash = options.token === undefined ? undefined : hash(options.token);
    this.#store = options.store;
    this.#codes = options.store.loginCodes ?? new OwnLoginCodes();
    this.#nodeId = options.nodeId;
    this.#channelsOf = options.channelsOf;
    this.#now = options.now;
    this.#freshLoginMs = options.freshLoginMs;
    this.#onWrong = options.onWrong;
  }

  get isOpen(): boolean {
    return this.#tokenHash === undefined;
  }

  /**
   * Whom a token lets in; undefined for a wrong one, and for none, except where everybody is let in. Even there a token that is known
   * gives its own power, and no other (SEC9). A right one is always let in: whoever else guesses from
   * its address, which on loopback is everybody's, keeps nobody out.
   * @throws RefusalError `rate_limited` for a wrong one where this address guessed too often
   */
  async checkToken(token: string | undefined, door: Door, address: string): Promise<Admission | undefined> {
    if (token === undefined) return this.#tokenHash ? undefined : ownerAdmission;
    const given = hash(token);
    if (this.#tokenHash && timingSafeEqual(given, this.#tokenHash)) return ownerAdmission; // hashes: neither length nor content leaks
    const stored = await this.#store.tokens.find({ hash: given.toString('hex') }, this.#now());
    if (stored) return { principal: await this.#toPrincipal(stored), credential: { tokenId: stored.id } };
    if (!this.#tokenHash) return ownerAdmission;
    await this.#countWrong(door, address);
    return undefined;
  }

  /** A program on this machine, where nobody needs a token (ASK2). */
  async admitLocal(): Promise<Admission> {
    return { principal: { id: 'local', role: 'asker', sessions: await this.#channelsOf('local') }, credential: {} };
  }

  /**
   * A code that logs one browser in as the owner, once: for an address that others may see later (SEC2). It ends with the server.
   * @throws StoreError `failed` where other nodes cannot be told of it
   */
  async makeCode(): Promise<string> {
    const code = makeSecret();
    await this.#codes.add(hashToken(code), this.#nodeId);
    return code;
  }

  /** Whether a code was made and not used yet. */
  holdsCode(code: string): Promise<boolean> {
    return this.#codes.has(hashToken(code));
  }

  /** Whom a code lets in, the first time. @throws RefusalError `rate_limited` for a wrong one where this address guessed too often */
  async takeCode(code: string, address: string): Promise<Admission | undefined> {
    if (!this.#tokenHash) return ownerAdmission;
    const isKnown = await this.holdsCode(code); // a stranger's guess is looked up, and keeps no commit waiting
    if (isKnown && (await this.#codes.remove(hashToken(code)))) return ownerAdmission;
    await this.#countWrong('login', address);
    return undefined;
  }

  /** Whom the first valid cookie lets in. Programs on other ports of this host can set cookies of the same name. */
  async checkCookies(cookies: readonly string[]): Promise<Admission | undefined> {
    if (!this.#tokenHash) return ownerAdmission;
    for (const cookie of cookies) {
      const admission = await this.#findByLogin(hashToken(cookie));
      if (admission) return admission;
    }
    return undefined;
  }

  /** A cookie's value for whoever has shown a token; only its hash is stored. It is good for nothing without that token. */
  async login({ credential: { tokenId } }: Admission, origin: LoginOrigin): Promise<{ cookie: string; expires: Date }> {
    const cookie = makeSecret();
    const now = this.#now();
    const expires = new Date(now + loginMs);
    await this.#store.logins.add(hashToken(cookie), {
      id: randomBytes(6).toString('hex'), // short, because people type it
      createdAt: new Date(now).toISOString(),
      expiresAt: expires.toISOString(),
      ...(tokenId !== undefined && { tokenId }),
      ...origin,
    });
    return { cookie, expires };
  }

  /** Ends the oldest log-ins of a token beyond as many as it may have; those of another may be of more power (SEC11). @returns how many */
  async trimLogins(credential: Credential, most: number): Promise<number> {
    const own = await this.loginsOf(credential);
    const excess = own.slice(0, Math.max(0, own.length - most));
    for (const { id } of excess) await this.endLogin(id);
    return excess.length;
  }

  async logout(cookies: readonly string[]): Promise<void> {
    for (const cookie of cookies) await this.#store.logins.remove({ hash: hashToken(cookie) });
  }

  /** The logins that were made with the same token. */
  async loginsOf({ tokenId }: Credential): Promise<readonly Login[]> {
    const logins = await this.#store.logins.list(this.#now());
    return logins.filter((login) => login.tokenId === tokenId);
  }

  async findLogin({ loginHash }: Credential): Promise<Login | undefined> {
    return loginHash === undefined ? undefined : this.#store.logins.find(loginHash, this.#now());
  }

  /** Whether it existed. @throws StoreError `login_again` where the log-in that asks for it has not shown its token lately (SEC9) */
  endLogin(id: string, by: Credential = {}): Promise<boolean> {
    return this.#store.logins.remove({ id }, authorityOf(by, this.#now(), this.#freshLoginMs));
  }

  /** A log-in has shown its token again. False if it has ended. */
  async proveLogin({ loginHash }: Credential): Promise<boolean> {
    return loginHash === undefined || this.#store.logins.prove(loginHash, this.#now());
  }

  /** Whether a token or login still lets in; another process may have ended it (SEC9). */
  async isCurrent({ tokenId, loginHash }: Credential): Promise<boolean> {
    const { logins, tokens } = this.#store;
    if (tokenId !== undefined && !(await tokens.find({ id: tokenId }, this.#now()))) return false;
    return loginHash === undefined || (await logins.find(loginHash, this.#now())) !== undefined;
  }

  /**
   * Whom a token or log-in lets in now, without being shown again. The server's own token is known to nobody but its holder:
   * what it let in is not let in by itself, except where everybody is.
   */
  async findPrincipal({ tokenId, loginHash }: Credential): Promise<Principal | undefined> {
    if (loginHash !== undefined) return (await this.#findByLogin(loginHash))?.principal;
    if (tokenId === undefined) return this.isOpen ? owner : undefined;
    const token = await this.#store.tokens.find({ id: tokenId }, this.#now());
    return token && this.#toPrincipal(token);
  }

  /** Whom the configuration means by these words, of those who are let in now: the id or name of a token, or the holder of the server's own. */
  async findPeople(words: readonly string[]): Promise<ReadonlyMap<string, Admission>> {
    const isCurrent = ({ expiresAt }: AccessToken) => expiresAt === undefined || Date.parse(expiresAt) > this.#now();
    const tokens = (await this.#store.tokens.list()).filter(isCurrent);
    const found = new Map<string, Admission>(words.includes(owner.id) ? [[owner.id, ownerAdmission]] : []);
    for (const word of words) {
      const named = tokens.filter(({ name }) => name === word);
      const token = tokens.find(({ id }) => id === word) ?? (named.length === 1 ? named[0] : undefined);
      if (!token || word === owner.id) continue;
      found.set(word, { principal: await this.#toPrincipal(token), credential: { tokenId: token.id } });
    }
    return found;
  }

  async #countWrong(door: Door, address: string): Promise<void> {
    const wait = await this.#guesses.count(door, address);
    this.#onWrong({ door, address, wait });
    if (!wait) return;
    throw new RefusalError('rate_limited', { message: 'Too many wrong tokens.', details: { retryAfterMs: wait.ms } });
  }

  async #findByLogin(loginHash: string): Promise<Admission | undefined> {
    const { logins, tokens } = this.#store;
    const login = await logins.find(loginHash, this.#now());
    if (!login) return undefined;
    const { tokenId } = login;
    if (tokenId === undefined) return { principal: owner, credential: { loginHash } };
    const token = await tokens.find({ id: tokenId }, this.#now());
    return token && { principal: await this.#toPrincipal(token), credential: { tokenId, loginHash } };
  }

  async #toPrincipal({ id, name, role, owner: tokenOwner, sessions }: AccessToken): Promise<Principal> {
    return {
      id,
      role,
      ...(name !== undefined && { name }),
      ...(tokenOwner !== undefined && { owner: tokenOwner }),
      ...(role === 'asker' ? { sessions: await this.#channelsOf(id) } : sessions && { sessions }),
      ...(name !== undefined && (await this.#isShared(name, id)) && { hasNamesake: true }),
    };
  }

  /** Whether a name is another token's, too, or its id: stores of earlier releases may hold such. */
  async #isShared(name: string, id: string): Promise<boolean> {
    const others = (await this.#store.tokens.list()).filter((token) => token.id !== id);
    return name === owner.id || others.some((other) => other.name === name || other.id === name);
  }
}

function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
