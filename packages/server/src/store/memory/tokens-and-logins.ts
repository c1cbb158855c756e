import {
  type AccessToken,
  type Authority,
  type Instant,
  type Login,
  type LoginStore,
  StoreError,
  type TokenStore,
} from '@parleyhq/core';
import { requireValid, type Standing, standingOfLogin } from '../append.ts';
import type { CommitQueue } from '../commit-queue.ts';
import { loggedIn, loggedOut, tokenCreated, tokenRevoked } from '../power-rows.ts';
import type { MemoryAudit } from './audit.ts';

/** Tokens besides the server's own, in memory. */
export class MemoryTokens implements TokenStore {
  readonly #queue: CommitQueue;
  readonly #audit: MemoryAudit;
  readonly #onRemove: (removed: { id: string; keepGrants: boolean }) => void;
  readonly #byHash = new Map<string, AccessToken>();

  /** @param onRemove - drops what goes with a token, within the write that removes it */
  constructor(
    queue: CommitQueue,
    audit: MemoryAudit,
    onRemove: (removed: { id: string; keepGrants: boolean }) => void,
  ) {
    this.#queue = queue;
    this.#audit = audit;
    this.#onRemove = onRemove;
  }

  add(hash: string, token: AccessToken): Promise<void> {
    return this.#queue.write(() => {
      const { id, name = id } = token;
      const clash = [...this.#byHash.values()].find((other) =>
        [other.id, other.name].some((taken) => taken === id || taken === name),
      );
      if (clash) throw new StoreError('conflict', `There is a token "${name}" already.`);
      this.#byHash.set(hash, token);
      this.#audit.addPower(tokenCreated(token));
    });
  }

  async find(which: { hash: string } | { id: string }, now: Instant): Promise<AccessToken | undefined> {
    const token = 'hash' in which ? this.#byHash.get(which.hash) : this.#findById(which.id)?.[1];
    return token && isCurrent(token, now) ? token : undefined;
  }

  async list(): Promise<readonly AccessToken[]> {
    return [...this.#byHash.values()];
  }

  remove(id: string, { keepGrants = false } = {}): Promise<boolean> {
    return this.#queue.write(() => {
      this.#onRemove({ id, keepGrants });
      const isRemoved = this.#byHash.delete(this.#findById(id)?.[0] ?? '');
      if (isRemoved) this.#audit.addPower(tokenRevoked(id));
      return isRemoved;
    });
  }

  /** Call within a write. */
  standingOf({ credential: { tokenId }, now }: Authority): Standing {
    if (tokenId === undefined) return 'valid';
    const token = this.#findById(tokenId)?.[1];
    return token && isCurrent(token, now) ? 'valid' : 'ended';
  }

  /** Whether it was not revoked, though it may have expired. Call within a write. */
  has(id: string): boolean {
    return this.#findById(id) !== undefined;
  }

  #findById(id: string): [string, AccessToken] | undefined {
    return [...this.#byHash].find(([, token]) => token.id === id);
  }
}

/** Logins of browsers, in memory. */
export class MemoryLogins implements LoginStore {
  readonly #queue: CommitQueue;
  readonly #audit: MemoryAudit;
  readonly #standingOf: (authority: Authority) => Standing;
  readonly #logins = new Map<string, Login>();

  constructor(queue: CommitQueue, audit: MemoryAudit, standingOf: (authority: Authority) => Standing) {
    this.#queue = queue;
    this.#audit = audit;
    this.#standingOf = standingOf;
  }

  add(hash: string, login: Login): Promise<void> {
    return this.#queue.write(() => {
      this.#logins.set(hash, login);
      this.#audit.addPower(loggedIn(login));
    });
  }

  async find(hash: string, now: Instant): Promise<Login | undefined> {
    const login = this.#logins.get(hash);
    return login && isCurrent(login, now) ? login : undefined;
  }

  async list(now: Instant): Promise<readonly Login[]> {
    return [...this.#logins.values()].filter((login) => isCurrent(login, now));
  }

  prove(hash: string, now: Instant): Promise<boolean> {
    return this.#queue.write(() => {
      const login = this.#logins.get(hash);
      if (!login || !isCurrent(login, now)) return false;
      this.#logins.set(hash, { ...login, provedAt: new Date(now).toISOString() });
      this.#audit.addPower(loggedIn(login, 'logged_in_again'));
      return true;
    });
  }

  remove(which: { hash: string } | { id: string }, authority?: Authority): Promise<boolean> {
    return this.#queue.write(() => {
      requireValid(authority, this.#standingOf);
      const isMeant = ([hash, { id }]: [string, Login]) => ('hash' in which ? hash === which.hash : id === which.id);
      const found = [...this.#logins].find(isMeant);
      if (!found) return false;
      this.#audit.addPower(loggedOut(found[1]));
      return this.#logins.delete(found[0]);
    });
  }

  /** Call within a write. */
  dropToken(tokenId: string): void {
    for (const [hash, login] of this.#logins) if (login.tokenId === tokenId) this.#logins.delete(hash);
  }

  /** Call within a write. */
  standingOf(authority: Authority): Standing {
    const { loginHash } = authority.credential;
    if (loginHash === undefined) return 'valid';
    const login = this.#logins.get(loginHash);
    return login && isCurrent(login, authority.now) ? standingOfLogin(login, authority) : 'ended';
  }
}

function isCurrent({ expiresAt }: { readonly expiresAt?: string }, now: Instant): boolean {
  return expiresAt === undefined || Date.parse(expiresAt) > now;
}
