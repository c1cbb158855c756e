import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type AccessToken,
  authorityOf,
  type ChatLink,
  type Credential,
  type Instant,
  type LinkCode,
  type Login,
  type LoginCodeStore,
  livesOn,
  ownerId,
  type Principal,
  RefusalError,
  type SessionId,
  type Store,
} from '@parleyhq/core';
import { GuessLimit, type Wait } from './guess-limit.ts';
import { isProviderPrincipal } from './oidc/oidc-settings.ts';
import { OwnLoginCodes } from './own-login-codes.ts';

/** How long a browser stays logged in. */
const loginMs = 30 * 24 * 3_600_000;

/** The entry point at which a token was presented; wrong guesses are counted for each separately. */
export type EntryPoint = 'login' | 'hello' | 'bearer' | 'chat';

/** An admitted principal and the credential it presented. */
export interface Admission {
  readonly principal: Principal;
  readonly credential: Credential;
}

/** Somebody whom the configuration names. */
export interface NamedPerson extends Admission {
  /** When their token was created; undefined for the server's own. */
  readonly since?: string | undefined;
}

/** A wrong token: its entry point, its address and how long further ones are rejected, if they are. */
export interface WrongToken {
  readonly door: EntryPoint;
  readonly address: string;
  readonly wait: Wait | undefined;
}

/** Origin of a login as reported by the browser. */
export type LoginOrigin = Pick<Login, 'userAgent' | 'address'>;

/** The times of a new login that are not the usual ones. */
export interface LoginTimes {
  readonly lastsMs?: number | undefined;
  readonly provedAt?: Instant | undefined;
}

/** The holder of the server's own token. */
const owner: Principal = { id: ownerId, role: 'operator' };

/** The id of programs on this machine when no token is needed. */
const localId = 'local';

/** Carries no credential because the server's own token stays valid as long as the server runs. */
const ownerAdmission: Admission = { principal: owner, credential: {} };

/** Makes a random 256-bit token. The prefix lets people and secret scanners recognise a leaked one. */
export function makeToken(): string {
  return `parley_${makeSecret()}`;
}

/** Returns the hash under which a token is stored. */
export function hashToken(token: string): string {
  return hash(token).toString('hex');
}

/** Returns the hash under which a pairing code is stored: never that of a code that links a chat account. */
export function hashPairingCode(code: string): string {
  return hashToken(`pair ${code.trim().toLowerCase()}`);
}

/**
 * Authenticates clients: by the server's own token, by one of the tokens created in addition to it, or by the cookie that a
 * browser got for either. Without a token of its own the server admits everybody (`--no-auth`).
 */
export class Auth {
  readonly #tokenHash: Buffer | undefined;
  readonly #store: Pick<Store, 'logins' | 'tokens' | 'links'>;
  readonly #channelsOf: (principal: string) => Promise<readonly SessionId[]>;
  readonly #now: () => Instant;
  readonly #freshLoginMs: number;
  readonly #onWrong: (wrong: WrongToken) => void;
  readonly #codes: LoginCodeStore;
  readonly #nodeId: string;
  readonly #guesses = new GuessLimit();

  constructor(options: {
    token: string | undefined;
    store: Pick<Store, 'logins' | 'tokens' | 'links' | 'loginCodes'>;
    /** Id of this node. */
    nodeId: string;
    /** Returns the sessions of an asker (ASK2). */
    channelsOf: (principal: string) => Promise<readonly SessionId[]>;
    now: () => Instant;
    /** How long after its token was last entered a log-in may perform the riskiest actions, in ms (SEC9). */
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
   * Returns the principal that a token admits. A known token always gives exactly its own permissions, even if the server admits
   * everybody (SEC9). A wrong or missing one gives undefined, or the owner if the server admits everybody. A right token is
   * admitted even while its address is blocked for guessing: on loopback everybody shares one address.
   * @throws RefusalError `rate_limited` for a wrong token if its address guessed too often
   */
  async checkToken(token: string | undefined, door: EntryPoint, address: string): Promise<Admission | undefined> {
    if (token === undefined) return this.#tokenHash ? undefined : ownerAdmission;
    const given = hash(token);
    // compares hashes, so neither length nor content leaks
    if (this.#tokenHash && timingSafeEqual(given, this.#tokenHash)) return ownerAdmission;
    const stored = await this.#store.tokens.find({ hash: given.toString('hex') }, this.#now());
    if (stored) return this.#admit(stored);
    if (!this.#tokenHash) return ownerAdmission;
    await this.#countWrong(door, address);
    return undefined;
  }

  /** Admits a program on this machine when no token is needed (ASK2). */
  async admitLocal(): Promise<Admission> {
    const principal: Principal = { id: localId, role: 'asker', sessions: await this.#channelsOf(localId) };
    return { principal, credential: {} };
  }

  /**
   * Whether an id is that of somebody of Parley's own, which nobody else may have: links, votes and passkeys trust ids (TRN3). The
   * owners of tokens are such, too, and the holders of expired ones, whose passkeys remain.
   */
  async hasPrincipal(id: string): Promise<boolean> {
    if (id === owner.id || id === localId || isProviderPrincipal(id)) return true;
    return (await this.#store.tokens.list()).some((token) => token.id === id || token.owner === id);
  }

  /**
   * Makes a code that logs one browser in as the owner, once; it may appear in an address that others see later (SEC2). It is
   * valid until the server stops.
   * @throws StoreError `failed` if it cannot be shared with the other nodes
   */
  async makeCode(): Promise<string> {
    const code = makeSecret();
    await this.#codes.add(hashToken(code), this.#nodeId);
    return code;
  }

  /** Whether a code exists and has not been used yet. */
  async holdsCode(code: string): Promise<boolean> {
    return (await this.#codes.has(hashToken(code))) || (await this.#findPairing(code)) !== undefined;
  }

  /**
   * Returns the principal that a code admits: the owner, or whom `parley pair` made it for. A code works once.
   * @throws RefusalError `rate_limited` for a wrong code if its address guessed too often
   */
  async takeCode(code: string, address: string): Promise<Admission | undefined> {
    if (!this.#tokenHash) return ownerAdmission;
    const isOwn = await this.#codes.has(hashToken(code)); // read first: a wrong guess then causes no write
    if (isOwn && (await this.#codes.remove(hashToken(code)))) return ownerAdmission;
    const pairing = await this.#findPairing(code);
    if (pairing && (await this.#store.links.dropCode(hashPairingCode(code)))) return this.#admitPaired(pairing);
    await this.#countWrong('login', address);
    return undefined;
  }

  #findPairing(code: string): Promise<LinkCode | undefined> {
    return this.#store.links.findCode(hashPairingCode(code), this.#now());
  }

  /**
   * Admits whom a pairing code was made for, if their token is still valid. People of a provider log in there, which says what role
   * they have and when they showed who they are (SIGN1).
   */
  async #admitPaired({ principal, credential: { tokenId } }: LinkCode): Promise<Admission | undefined> {
    if (tokenId === undefined) return principal === owner.id ? ownerAdmission : undefined;
    const token = await this.#store.tokens.find({ id: tokenId }, this.#now());
    return token && token.issuer === undefined ? this.#admit(token) : undefined;
  }

  /**
   * Returns the principal of the first valid cookie. There may be several because programs on other ports of this host can set
   * cookies of the same name.
   */
  async checkCookies(cookies: readonly string[]): Promise<Admission | undefined> {
    if (!this.#tokenHash) return ownerAdmission;
    for (const cookie of cookies) {
      const admission = await this.#findByLogin(hashToken(cookie));
      if (admission) return admission;
    }
    return undefined;
  }

  /**
   * Creates a log-in and returns its cookie, of which only the hash is stored. It becomes invalid together with the token.
   * @param options.lastsMs - how long the browser stays logged in. Default: 30 days
   * @param options.provedAt - when the person showed who they are. Default: now
   */
  async login(
    { credential: { tokenId } }: Pick<Admission, 'credential'>,
    origin: LoginOrigin,
    { lastsMs = loginMs, provedAt }: LoginTimes = {},
  ): Promise<{ cookie: string; expires: Date }> {
    const cookie = makeSecret();
    const now = this.#now();
    const expires = new Date(now + lastsMs);
    await this.#store.logins.add(hashToken(cookie), {
      id: randomBytes(6).toString('hex'), // short, because people type it
      createdAt: new Date(now).toISOString(),
      expiresAt: expires.toISOString(),
      ...(tokenId !== undefined && { tokenId }),
      ...(provedAt !== undefined && { provedAt: new Date(provedAt).toISOString() }),
      ...origin,
    });
    return { cookie, expires };
  }

  /**
   * Ends the oldest log-ins of a token beyond `most`; those of other tokens, perhaps with more permissions, are left alone
   * (SEC11).
   * @returns how many were ended
   */
  async trimLogins(holder: Admission, most: number): Promise<number> {
    const own = await this.loginsOf(holder);
    const excess = own.slice(0, Math.max(0, own.length - most));
    for (const { id } of excess) await this.endLogin(id);
    return excess.length;
  }

  async logout(cookies: readonly string[]): Promise<void> {
    for (const cookie of cookies) await this.#store.logins.remove({ hash: hashToken(cookie) });
  }

  /**
   * Returns the logins made with the same token. Those without one are of the server's own token: whoever an embedding
   * application knows has no token either, but is not the owner.
   */
  async loginsOf({ principal, credential: { tokenId } }: Admission): Promise<readonly Login[]> {
    if (tokenId === undefined && principal.id !== owner.id) return [];
    const logins = await this.#store.logins.list(this.#now());
    return logins.filter((login) => login.tokenId === tokenId);
  }

  async findLogin({ loginHash }: Credential): Promise<Login | undefined> {
    return loginHash === undefined ? undefined : this.#store.logins.find(loginHash, this.#now());
  }

  /**
   * Ends a log-in and returns whether it existed.
   * @throws StoreError `login_again` if the log-in that asks has not shown its token recently (SEC9)
   */
  endLogin(id: string, by: Credential = {}): Promise<boolean> {
    return this.#store.logins.remove({ id }, authorityOf(by, this.#now(), this.#freshLoginMs));
  }

  /** Records that a log-in has shown its token again. Returns false if the log-in has ended. */
  async proveLogin({ loginHash }: Credential): Promise<boolean> {
    return loginHash === undefined || this.#store.logins.prove(loginHash, this.#now());
  }

  /** Whether a token or login is still valid; another process may have ended it (SEC9). */
  async isCurrent({ tokenId, loginHash }: Credential): Promise<boolean> {
    const { logins, tokens } = this.#store;
    if (tokenId !== undefined && !(await tokens.find({ id: tokenId }, this.#now()))) return false;
    return loginHash === undefined || (await logins.find(loginHash, this.#now())) !== undefined;
  }

  /**
   * Returns the current principal of a token or log-in, without its being presented again. Without either, the credential was the
   * server's own token, which only its holder knows: undefined, unless the server admits everybody.
   */
  async findPrincipal({ tokenId, loginHash }: Credential): Promise<Principal | undefined> {
    if (loginHash !== undefined) return (await this.#findByLogin(loginHash))?.principal;
    if (tokenId === undefined) return this.isOpen ? owner : undefined;
    const token = await this.#store.tokens.find({ id: tokenId }, this.#now());
    return token && this.#toPrincipal(token);
  }

  /**
   * Finds the principals that the configuration names by `words`: the id or name of a valid token, or the holder of the server's
   * own.
   */
  async findPeople(words: readonly string[]): Promise<ReadonlyMap<string, NamedPerson>> {
    const isCurrent = ({ expiresAt }: AccessToken) => expiresAt === undefined || Date.parse(expiresAt) > this.#now();
    const tokens = (await this.#store.tokens.list()).filter(isCurrent);
    const found = new Map<string, NamedPerson>(words.includes(owner.id) ? [[owner.id, ownerAdmission]] : []);
    for (const word of words) {
      const named = tokens.filter(({ name }) => name === word);
      const token = tokens.find(({ id }) => id === word) ?? (named.length === 1 ? named[0] : undefined);
      if (!token || word === owner.id) continue;
      found.set(word, { ...(await this.#admit(token)), since: token.createdAt });
    }
    return found;
  }

  /**
   * Admits a principal that shows no credential, but something that was made for its token, while that is valid. People who log in
   * at a provider have the same principal after a revocation, their rows have no end, and what the provider says about them is
   * not known later: so their row must have lived on, and they must be logged in (SIGN1).
   * @param since - when that token was created
   */
  async admitAbsent(id: string, since = ''): Promise<Admission | undefined> {
    if (id === owner.id) return ownerAdmission;
    const token = await this.#store.tokens.find({ id }, this.#now());
    if (!token) return undefined;
    const isOfProvider = token.issuer !== undefined;
    if (isOfProvider && !(livesOn(since, token.createdAt) && (await this.#isLoggedIn(id)))) return undefined;
    return this.#admit(token);
  }

  async #isLoggedIn(tokenId: string): Promise<boolean> {
    return (await this.#store.logins.list(this.#now())).some((login) => login.tokenId === tokenId);
  }

  /**
   * Returns the current principal of a linked chat account: the link's, while its token or login is valid (CHAT2). An account
   * answers at most as a responder.
   */
  async findHolder({
    id,
    principal,
    credential,
  }: Pick<ChatLink, 'id' | 'principal' | 'credential'>): Promise<Admission | undefined> {
    const isNamed = credential.tokenId !== undefined || credential.loginHash !== undefined;
    const found = principal === owner.id && !isNamed ? owner : await this.findPrincipal(credential);
    if (found?.id !== principal) return undefined;
    const role = found.role === 'operator' ? 'responder' : found.role;
    return { principal: { ...found, role }, credential: { ...credential, linkId: id } };
  }

  /** Counts a wrong code of an account. @throws RefusalError `rate_limited` if it guessed too often */
  countWrongCode(account: string): Promise<void> {
    return this.#countWrong('chat', account);
  }

  async #countWrong(door: EntryPoint, address: string): Promise<void> {
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
    return token && this.#admit(token, { loginHash });
  }

  async #admit(token: AccessToken, login: Pick<Credential, 'loginHash'> = {}): Promise<Admission> {
    return { principal: await this.#toPrincipal(token), credential: { tokenId: token.id, ...login } };
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

  /** Whether a name is also another token's name or id, which stores of earlier releases may contain. */
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
