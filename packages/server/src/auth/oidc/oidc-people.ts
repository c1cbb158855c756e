import { type AccessToken, includesRole, ownerId, type Store, StoreError } from '@parleyhq/core';
import { hashToken, makeToken } from '../auth.ts';
import { findOwner } from '../token-owner.ts';
import {
  type Claims,
  isProviderPrincipal,
  nameOf,
  type OidcSettings,
  type PersonName,
  type PersonRole,
  principalOf,
  roleOf,
} from './oidc-settings.ts';

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
   * Stores who logs in, with the role that their claims give now. If their role, name or owner changed, all their log-ins end; if
   * they lost rights, so do their grants. Their votes stay: they could vote when they did.
   * @returns undefined if the claims give no role (any more)
   */
  async admit(claims: Claims): Promise<AccessToken | undefined> {
    try {
      return await this.#admit(claims);
    } catch (error) {
      if (!isConflict(error)) throw error;
      return this.#admit(claims); // they logged in twice at the same moment, with different roles or names
    }
  }

  async #admit(claims: Claims): Promise<AccessToken | undefined> {
    const { roles, nameClaim } = this.#settings;
    const id = principalOf(claims);
    const role = roleOf(claims, roles);
    const known = await this.#tokens.find({ id }, this.#now());
    if (role === undefined) {
      if (known) await this.#tokens.remove(id);
      return undefined;
    }
    const { createdAt = new Date(this.#now()).toISOString() } = known ?? {}; // votes count since then (TEAM3)
    const names = namesFor(id, nameOf(claims, nameClaim));
    const others = (await this.#tokens.list()).filter((token) => token.id !== id);
    const owner = known?.owner ?? findOwner({ name: names[0] }, others);
    const person: AccessToken = { id, role, createdAt, issuer: claims.iss, ...(owner !== undefined && { owner }) };
    const people = names.map((name) => (name === undefined ? person : { ...person, name }));
    return people.some((each) => isSame(each, known)) ? known : this.#store(people, known);
  }

  /**
   * Stores the first of these whose name nobody else has.
   * @param people - the same person under different names
   * @param known - as they are stored already, if they are
   * @throws StoreError `conflict` if all names are taken, or they were removed meanwhile
   */
  async #store(people: readonly AccessToken[], known: AccessToken | undefined): Promise<AccessToken> {
    for (const person of people) {
      const { id, role } = person;
      try {
        if (!known) await this.#tokens.add(hashToken(makeToken()), person);
        else if (!(await this.#tokens.change(person, { keepGrants: includesRole(role, known.role as PersonRole) })))
          break;
        return person;
      } catch (error) {
        if (!isConflict(error)) throw error;
        if (known) continue;
        const added = await this.#tokens.find({ id }, this.#now());
        if (added?.role === role) return added; // they logged in twice at the same moment
      }
    }
    const { name, id } = people.at(-1) ?? {};
    throw new StoreError('conflict', `There is a token with the id or the name of "${name ?? id}" already.`);
  }
}

/**
 * Returns the names that a person may have, the best first. Audiences and owners of tokens refer to people by names and ids, so a
 * name that is taken gets the id appended, and one that people choose themselves, or that is like an id, always has it.
 */
function namesFor(id: string, name: PersonName | undefined): readonly (string | undefined)[] {
  if (!name) return [undefined];
  const { text, isSelfChosen } = name;
  const full = `${text} (${id})`;
  return isSelfChosen || isIdLike(text) ? [full] : [text, full];
}

/** Whether a text may be the id of a principal, perhaps of one that was revoked. */
function isIdLike(text: string): boolean {
  return text === ownerId || isProviderPrincipal(text) || /^[0-9a-f]{12}$/.test(text); // as `parley token create` makes them
}

function isSame(one: AccessToken, other: AccessToken | undefined): boolean {
  return one.role === other?.role && one.name === other.name && one.owner === other.owner;
}

function isConflict(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'conflict';
}
