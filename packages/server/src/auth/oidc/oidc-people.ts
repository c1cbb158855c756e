import { type AccessToken, includesRole, ownerId, type Store, StoreError } from '@parleyhq/core';
import { hashToken, makeToken } from '../auth.ts';
import { type Claims, nameOf, type OidcSettings, type PersonRole, principalOf, roleOf } from './oidc-settings.ts';

/**
 * People who log in at the provider (SIGN1). Each is stored like the holder of a token, but of a token that nobody has: so
 * whatever depends on a token (audiences, votes, grants, log-ins, `parley token revoke`) applies to them, too (SEC9).
 */
export class OidcPeople {
  readonly #settings: OidcSettings;
  readonly #tokens: Store['tokens'];
  readonly #now: () => number;

  constructor(settings: OidcSettings, tokens: Store['tokens'], now: () => number) {
    this.#settings = settings;
    this.#tokens = tokens;
    this.#now = now;
  }

  /**
   * Stores who logs in, with the role that their claims give now. If that changed, all their log-ins end; if they lost rights,
   * so do their grants.
   * @returns undefined if the claims give no role (any more)
   */
  async admit(claims: Claims): Promise<AccessToken | undefined> {
    const { issuer, roles, nameClaim } = this.#settings;
    const id = principalOf(issuer, claims);
    const role = roleOf(claims, roles);
    const known = await this.#tokens.find({ id }, this.#now());
    if (role === undefined) {
      if (known) await this.#tokens.remove(id);
      return undefined;
    }
    const name = nameOf(claims, nameClaim);
    if (known?.role === role && isNamed(known, name)) return known;
    if (known) await this.#tokens.remove(id, { keepGrants: includesRole(role, known.role as PersonRole) });
    return this.#add(id, role, name);
  }

  /** Names are unique, because audiences refer to people by them: a name that is taken gets the id appended. */
  async #add(id: string, role: PersonRole, name: string | undefined): Promise<AccessToken> {
    const createdAt = new Date(this.#now()).toISOString();
    const { issuer } = this.#settings;
    const full = `${name} (${id})`;
    const named = name === undefined ? [undefined] : name === ownerId ? [full] : [name, full];
    for (const each of named) {
      const person: AccessToken = { id, role, createdAt, issuer, ...(each !== undefined && { name: each }) };
      try {
        await this.#tokens.add(hashToken(makeToken()), person);
        return person;
      } catch (error) {
        if (!(error instanceof StoreError && error.code === 'conflict')) throw error;
        const added = await this.#tokens.find({ id }, this.#now());
        if (added?.role === role) return added; // they logged in twice at the same moment
      }
    }
    throw new StoreError('conflict', `There is a token with the id or the name of "${name ?? id}" already.`);
  }
}

function isNamed({ id, name }: AccessToken, wanted: string | undefined): boolean {
  return name === wanted || name === `${wanted} (${id})`;
}
