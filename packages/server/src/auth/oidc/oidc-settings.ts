import { createHash } from 'node:crypto';
import { includesRole, isRecord, type Role, showHidden } from '@parleyhq/core';

/** Roles that a log-in at a provider can give; programs that ask have tokens. */
export type PersonRole = Exclude<Role, 'asker'>;

/** Log-in at a provider of OpenID Connect (SIGN1). */
export interface OidcSettings {
  /** The provider's address, as its discovery document states it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client, which proves itself with PKCE alone. */
  readonly clientSecret?: string | undefined;
  /** What the page calls the provider. Default: the host of its address */
  readonly name?: string | undefined;
  /** Default: `openid profile email` */
  readonly scope?: string | undefined;
  /** Roles by claim: `claim=value`, a name among the person's roles or groups, or `*` for everybody. The highest counts. */
  readonly roles: Readonly<Record<string, PersonRole>>;
  /**
   * The claim that names people to others, which they must not be able to change; an e-mail address has the id with it unless it is
   * verified. Default: the verified e-mail address, else the user name with the id
   */
  readonly nameClaim?: string | undefined;
  /** How long a log-in lasts, in ms. Default: 12 hours, because a role follows its claims only when somebody logs in */
  readonly loginMs?: number | undefined;
}

/** The provider did not respond, or not as the standard says. The person may try again. */
export class ProviderError extends Error {
  override readonly name: string = 'ProviderError';
}

/** Too many people come back from the provider at once. What this one brought was not looked at, and may be brought again. */
export class BusyError extends ProviderError {
  override readonly name = 'BusyError';

  constructor() {
    super('Too many people come back from the provider at once.');
  }
}

/** What the provider states about a person. */
export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string };

/** A name that people recognise somebody by. */
export interface PersonName {
  readonly text: string;
  /** Whether the person chose it without a check: such a name must not stand for them alone. */
  readonly isSelfChosen: boolean;
}

/** Returns the highest role that the claims give; undefined if they give none. */
export function roleOf(claims: Claims, roles: OidcSettings['roles']): PersonRole | undefined {
  const given = Object.entries(roles).flatMap(([claim, role]) => (hasClaim(claims, claim) ? [role] : []));
  return given.reduce<PersonRole | undefined>(
    (highest, role) => (highest !== undefined && includesRole(highest, role) ? highest : role),
    undefined,
  );
}

/** Lists that providers commonly name people's roles in. */
const commonLists = ['roles', 'groups'];

function hasClaim(claims: Claims, claim: string): boolean {
  if (claim === '*') return true;
  const at = claim.indexOf('=');
  const name = claim.slice(0, at);
  if (at > 0) return isTrusted(claims, name) && valuesAt(claims, name).includes(claim.slice(at + 1));
  return claims[claim] === true || commonLists.some((list) => valuesAt(claims, list).includes(claim));
}

/** Whether a claim can give a role or a name by itself: at many providers people enter any e-mail address, and only a verified one is theirs. */
function isTrusted(claims: Claims, name: string): boolean {
  return name !== 'email' || claims.email_verified === true;
}

/** Returns a claim's values as texts. A name with dots leads into objects, unless there is a claim of that whole name. */
function valuesAt(claims: Claims, name: string): readonly string[] {
  const whole = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const inner = (value: unknown, part: string) =>
    isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  const found = whole ?? name.split('.').reduce<unknown>(inner, claims);
  const list: readonly unknown[] = Array.isArray(found) ? found : [found];
  return list.flatMap((value) => (['string', 'boolean', 'number'].includes(typeof value) ? [String(value)] : []));
}

const mostNameLength = 100;

/** Whether a name can be shown to people, who recognise others by it: readable text on one line, as for tokens. */
function isReadable(name: string): boolean {
  return name.trim() !== '' && name.length <= mostNameLength && showHidden(name) === name && !/[\n\r\t]/.test(name);
}

/**
 * Returns what people call the person; undefined if no claim is fit to. Audiences and policies refer to people by name, so a name
 * that somebody may have chosen themselves is marked.
 */
export function nameOf(claims: Claims, nameClaim?: string): PersonName | undefined {
  const names: readonly (readonly [value: unknown, isSelfChosen: boolean])[] =
    nameClaim === undefined
      ? [
          [claims.email_verified === false ? undefined : claims.email, !isTrusted(claims, 'email')],
          [claims.preferred_username, true],
          [claims.name, true],
        ]
      : [[claims[nameClaim], !isTrusted(claims, nameClaim)]];
  return names.flatMap(([value, isSelfChosen]) =>
    typeof value === 'string' && isReadable(value) ? [{ text: value.trim(), isSelfChosen }] : [],
  )[0];
}

/**
 * Returns the id of the principal: the same for a subject of an issuer, whatever else changes. The issuer is the provider's own
 * spelling, because that of the settings may have one more slash.
 */
export function principalOf({ iss, sub }: Claims): string {
  return `oidc-${createHash('sha256')
    .update(JSON.stringify([iss, sub]))
    .digest('hex')
    .slice(0, 20)}`;
}

/** Whether an id is that of somebody who logs in at a provider, perhaps for the first time later. */
export function isProviderPrincipal(id: string): boolean {
  return /^oidc-[0-9a-f]{20}$/.test(id);
}
