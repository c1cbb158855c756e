import {
  type Authority,
  type Grant,
  type GrantChoice,
  type GrantFilter,
  type GrantNote,
  type GrantStore,
  type Instant,
  type Json,
  type PluginStateStore,
  type Revocation,
  type RevocationCause,
  ruleGrantPrefix,
  type SessionId,
} from '@parleyhq/core';
import { requireValid, type Standing } from '../append.ts';
import type { CommitQueue } from '../commit-queue.ts';
import { grantNews, grantRevoked, revocation } from '../power-rows.ts';
import type { MemoryAudit } from './audit.ts';

const rank = { once: 0, session: 1, always: 2 } as const;

/** Stored approvals (APR1), in memory. */
export class MemoryGrants implements GrantStore {
  readonly #queue: CommitQueue;
  readonly #audit: MemoryAudit;
  readonly #record: (note: GrantNote, value: Json) => void;
  readonly #requireOpen: (note: GrantNote) => void;
  readonly #standingOf: (authority: Authority) => Standing;
  #grants: readonly Grant[] = [];

  /** `record` stores a journal record, within a write; `requireOpen` throws where the call of one is over. */
  constructor(
    queue: CommitQueue,
    beside: {
      audit: MemoryAudit;
      record: (note: GrantNote, value: Json) => void;
      requireOpen: (note: GrantNote) => void;
      standingOf: (authority: Authority) => Standing;
    },
  ) {
    this.#queue = queue;
    this.#audit = beside.audit;
    this.#record = beside.record;
    this.#requireOpen = beside.requireOpen;
    this.#standingOf = beside.standingOf;
  }

  put(grant: Grant, note?: GrantNote, authority?: Authority): Promise<void> {
    return this.#queue.write(() => {
      requireValid(authority, this.#standingOf);
      if (note) this.#requireOpen(note);
      this.store(grant);
      if (note) this.#record(note, grant.scope);
    });
  }

  /** Call within a write. */
  store(grant: Grant): void {
    this.#drop(({ id }) => id === grant.id);
    this.#end((other) => isReplaced(other, grant), 'replaced');
    this.#grants = [...this.#grants, grant];
    this.#audit.addPower(grantNews('grant_given', grant));
  }

  /** Whether it is stored and has not expired. Call within a write. */
  holds(id: string, now: Instant): boolean {
    return this.#grants.some((grant) => grant.id === id && isValid(grant, now));
  }

  /** Counts one use. Call within a write. */
  count(id: string): void {
    this.#grants = this.#grants.map((grant) => (grant.id === id ? { ...grant, uses: grant.uses + 1 } : grant));
  }

  take({ among, ...wish }: GrantChoice, now: Instant, note?: GrantNote): Promise<Grant | undefined> {
    return this.#queue.write(() => {
      if (note) this.#requireOpen(note);
      const [grant] = this.#grants
        .filter((other) => fits(other, wish) && isValid(other, now) && (among?.includes(other.id) ?? true))
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

  revoke(which: Revocation | { plugin: string; sessionId: SessionId }): Promise<number> {
    const isMeant = (grant: Grant) =>
      'id' in which ? grant.id === which.id : grant.plugin === which.plugin && isOf(grant, which.sessionId);
    return this.#queue.write(() => {
      if ('id' in which) requireValid(which.authority, this.#standingOf);
      for (const { id } of this.#grants.filter(isMeant)) this.#audit.addPower(revocation(id, which));
      return this.#drop(isMeant);
    });
  }

  /** Call within a write. */
  dropSession(sessionId: SessionId): void {
    this.#end((grant) => isOf(grant, sessionId), 'session_deleted');
  }

  /** Call within a write. */
  dropGiver(principal: string): void {
    this.#end(({ by }) => by?.principal === principal, 'token_revoked');
  }

  #end(isMeant: (grant: Grant) => boolean, cause: RevocationCause): void {
    for (const { id } of this.#grants.filter(isMeant)) this.#audit.addPower(grantRevoked(id, cause));
    this.#drop(isMeant);
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

function fits({ plugin, key, scope, sessionId }: Grant, filter: GrantFilter): boolean {
  if (filter.plugin !== undefined && filter.plugin !== plugin) return false;
  if (filter.key !== undefined && filter.key !== key) return false;
  if (filter.isRule && !key.startsWith(ruleGrantPrefix)) return false;
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
