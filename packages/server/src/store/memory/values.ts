import type {
  AccessToken,
  Grant,
  GrantFilter,
  GrantNote,
  GrantStore,
  GrantWish,
  Instant,
  Json,
  Login,
  LoginStore,
  PluginStateStore,
  Revoker,
  SessionId,
  TokenStore,
} from '@parleyhq/core';
import type { CommitQueue } from '../commit-queue.ts';
import { grantNews, grantRevoked, loggedIn, loggedOut, tokenCreated, tokenRevoked } from '../power-rows.ts';
import type { MemoryAudit } from './audit.ts';

const rank = { once: 0, session: 1, always: 2 } as const;

/** Stored approvals (APR1), in memory. */
export class MemoryGrants implements GrantStore {
  readonly #queue: CommitQueue;
  readonly #audit: MemoryAudit;
  readonly #record: (note: GrantNote, value: Json) => void;
  #grants: readonly Grant[] = [];

  /** @param record - stores a journal record, within a write */
  constructor(queue: CommitQueue, audit: MemoryAudit, record: (note: GrantNote, value: Json) => void) {
    this.#queue = queue;
    this.#audit = audit;
    this.#record = record;
  }

  put(grant: Grant, note?: GrantNote): Promise<void> {
    return this.#queue.write(() => {
      this.store(grant);
      if (note) this.#record(note, grant.scope);
    });
  }

  /** Call within a write. */
  store(grant: Grant): void {
    this.#drop((other) => other.id === grant.id || isReplaced(other, grant));
    this.#grants = [...this.#grants, grant];
    this.#audit.addPower(grantNews('grant_given', grant));
  }

  /** Counts one use. Call within a write. */
  count(id: string): void {
    this.#grants = this.#grants.map((grant) => (grant.id === id ? { ...grant, uses: grant.uses + 1 } : grant));
  }

  take(wish: GrantWish, now: Instant, note?: GrantNote): Promise<Grant | undefined> {
    return this.#queue.write(() => {
      const [grant] = this.#grants
        .filter((other) => fits(other, wish) && isValid(other, now))
        .sort((a, b) => rank[a.scope] - rank[b.scope]);
      if (!grant) return undefined;
      if (grant.scope === 'once') this.#drop((other) => other === grant);
      else this.count(grant.id);
      if (note) this.#record(note, grant.scope);
      this.#audit.addPower(grantNews('grant_used', { ...grant, sessionId: wish.sessionId }));
      return { ...grant, uses: grant.uses + 1 };
    });
  }

  async list(now: Instant, filter: GrantFilter = {}): Promise<readonly Grant[]> {
    const found = this.#grants.filter((grant) => fits(grant, filter) && isValid(grant, now));
    return filter.limit === undefined ? found : found.slice(-filter.limit);
  }

  revoke(which: { id: string; by?: Revoker } | { plugin: string; sessionId: SessionId }): Promise<number> {
    const isMeant = (grant: Grant) =>
      'id' in which ? grant.id === which.id : grant.plugin === which.plugin && isOf(grant, which.sessionId);
    return this.#queue.write(() => {
      const by = 'id' in which ? which.by : undefined;
      for (const { id } of this.#grants.filter(isMeant)) this.#audit.addPower(grantRevoked(id, by));
      return this.#drop(isMeant);
    });
  }

  /** Call within a write. */
  dropSession(sessionId: SessionId): void {
    this.#drop((grant) => isOf(grant, sessionId));
  }

  #drop(isDropped: (grant: Grant) => boolean): number {
    const before = this.#grants.length;
    this.#grants = this.#grants.filter((grant) => !isDropped(grant));
    return before - this.#grants.length;
  }
}

/** Plugin state in memory. */
export class MemoryPluginState implements PluginStateStore {
  readonly #queue: CommitQueue;
  /** By session; those of the whole server under undefined. */
  readonly #values = new Map<SessionId | undefined, Map<string, string>>();

  constructor(queue: CommitQueue) {
    this.#queue = queue;
  }

  async get(plugin: string, sessionId: SessionId | undefined, key: string): Promise<Json | undefined> {
    const text = this.#values.get(sessionId)?.get(nameValue(plugin, key));
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  }

  async set(plugin: string, sessionId: SessionId | undefined, key: string, value: Json | undefined): Promise<void> {
    const text = JSON.stringify(value);
    return this.#queue.write(() => {
      const values = this.#values.get(sessionId) ?? new Map<string, string>();
      this.#values.set(sessionId, values);
      if (text === undefined) values.delete(nameValue(plugin, key));
      else values.set(nameValue(plugin, key), text);
    });
  }

  /** Call within a write. */
  dropSession(sessionId: SessionId): void {
    this.#values.delete(sessionId);
  }
}

/** Tokens besides the server's own, in memory. */
export class MemoryTokens implements TokenStore {
  readonly #queue: CommitQueue;
  readonly #audit: MemoryAudit;
  readonly #byHash = new Map<string, AccessToken>();

  constructor(queue: CommitQueue, audit: MemoryAudit) {
    this.#queue = queue;
    this.#audit = audit;
  }

  add(hash: string, token: AccessToken): Promise<void> {
    return this.#queue.write(() => {
      this.#byHash.set(hash, token);
      this.#audit.addPower(tokenCreated(token));
    });
  }

  async find(which: { hash: string } | { id: string }, now: Instant): Promise<AccessToken | undefined> {
    const token = 'hash' in which ? this.#byHash.get(which.hash) : this.#findById(which.id)?.[1];
    return token && isValid(token, now) ? token : undefined;
  }

  async list(): Promise<readonly AccessToken[]> {
    return [...this.#byHash.values()];
  }

  remove(id: string): Promise<boolean> {
    return this.#queue.write(() => {
      const isRemoved = this.#byHash.delete(this.#findById(id)?.[0] ?? '');
      if (isRemoved) this.#audit.addPower(tokenRevoked(id));
      return isRemoved;
    });
  }

  #findById(id: string): [string, AccessToken] | undefined {
    return [...this.#byHash].find(([, token]) => token.id === id);
  }
}

/** Logins of browsers, in memory. */
export class MemoryLogins implements LoginStore {
  readonly #queue: CommitQueue;
  readonly #audit: MemoryAudit;
  readonly #logins = new Map<string, Login>();

  constructor(queue: CommitQueue, audit: MemoryAudit) {
    this.#queue = queue;
    this.#audit = audit;
  }

  add(hash: string, login: Login): Promise<void> {
    return this.#queue.write(() => {
      this.#logins.set(hash, login);
      this.#audit.addPower(loggedIn(hash, login));
    });
  }

  async find(hash: string, now: Instant): Promise<Login | undefined> {
    const login = this.#logins.get(hash);
    return login && isValid(login, now) ? login : undefined;
  }

  remove(hash: string): Promise<void> {
    return this.#queue.write(() => {
      if (this.#logins.delete(hash)) this.#audit.addPower(loggedOut(hash));
    });
  }
}

function fits({ plugin, key, scope, sessionId }: Grant, filter: GrantFilter): boolean {
  if (filter.plugin !== undefined && filter.plugin !== plugin) return false;
  if (filter.key !== undefined && filter.key !== key) return false;
  return filter.sessionId === undefined || scope === 'always' || filter.sessionId === sessionId;
}

function isReplaced(old: Grant, grant: Grant): boolean {
  if (grant.scope === 'once' || old.scope !== grant.scope) return false;
  if (old.plugin !== grant.plugin || old.key !== grant.key) return false;
  return grant.scope === 'always' || old.sessionId === grant.sessionId;
}

function isValid({ expiresAt }: { readonly expiresAt?: string }, now: Instant): boolean {
  return expiresAt === undefined || Date.parse(expiresAt) > now;
}

function isOf(grant: Grant, sessionId: SessionId): boolean {
  return grant.scope !== 'always' && grant.sessionId === sessionId;
}

/** JSON keeps different pairs apart. */
function nameValue(plugin: string, key: string): string {
  return JSON.stringify([plugin, key]);
}
