import { type Grant, type GrantChoice, type GrantFilter, type Instant, ruleGrantPrefix } from '@parleyhq/core';

/** The scope that is used first. */
const order = { once: 0, session: 1, always: 2 } as const;

/** The grants of a stage. */
export class MemoryGrants {
  #grants: readonly Grant[] = [];

  get all(): readonly Grant[] {
    return this.#grants;
  }

  /** Stores a grant, in place of a lasting one for the same. */
  put(grant: Grant): void {
    this.drop((old) => old.id === grant.id || isReplaced(old, grant));
    this.#grants = [...this.#grants, grant];
  }

  holds(id: string, now: Instant): boolean {
    return this.#grants.some((grant) => grant.id === id && isValid(grant, now));
  }

  /** Counts a use. */
  use(id: string): void {
    this.#grants = this.#grants.map((grant) => (grant.id === id ? { ...grant, uses: grant.uses + 1 } : grant));
  }

  take({ among, ...wish }: GrantChoice, now: Instant): Grant | undefined {
    const [grant] = this.list(now, wish)
      .filter(({ id }) => among?.includes(id) ?? true)
      .sort((a, b) => order[a.scope] - order[b.scope]);
    if (grant?.scope === 'once') this.drop(({ id }) => id === grant.id);
    else if (grant) this.use(grant.id);
    return grant && { ...grant, uses: grant.uses + 1 };
  }

  list(now: Instant, filter: GrantFilter = {}): readonly Grant[] {
    return this.#grants.filter((grant) => fits(grant, filter) && isValid(grant, now));
  }

  /** @returns how many there were */
  drop(isDropped: (grant: Grant) => boolean): number {
    const before = this.#grants.length;
    this.#grants = this.#grants.filter((grant) => !isDropped(grant));
    return before - this.#grants.length;
  }
}

function fits({ plugin, key, scope, sessionId }: Grant, wish: GrantFilter): boolean {
  if (wish.plugin !== undefined && wish.plugin !== plugin) return false;
  if (wish.key !== undefined && wish.key !== key) return false;
  if (wish.isRule && !key.startsWith(ruleGrantPrefix)) return false;
  return wish.sessionId === undefined || scope === 'always' || wish.sessionId === sessionId;
}

function isReplaced(old: Grant, { plugin, key, scope, sessionId }: Grant): boolean {
  if (scope === 'once' || old.scope !== scope || old.plugin !== plugin || old.key !== key) return false;
  return scope === 'always' || old.sessionId === sessionId;
}

function isValid({ expiresAt }: Grant, now: Instant): boolean {
  return expiresAt === undefined || Date.parse(expiresAt) > now;
}
