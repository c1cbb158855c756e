import { type AccessToken, includesRole } from '@parleyhq/core';
import type { Settings } from '../settings/settings.ts';
import { type Finding, note, ok } from './finding.ts';

const subject = 'Tokens';

/** Examines who may use the server. */
export function examineTokens(
  tokens: readonly AccessToken[],
  { auth, token, oidc }: Pick<Settings, 'auth' | 'token' | 'oidc'>,
): readonly Finding[] {
  const [valid, expired] = partition(tokens, isValid);
  const people = valid.filter(({ role }) => includesRole(role, 'responder'));
  const askers = valid.filter(({ role }) => role === 'asker');
  const notes = [
    ...(auth
      ? []
      : [
          note(
            subject,
            'everybody',
            'The server asks for no token (--no-auth): whoever uses this computer may answer.',
          ),
        ]),
    ...(auth && token === undefined && oidc === undefined ? [note(subject, 'token-changes', unkept)] : []),
    ...expired.map((each) => note(subject, 'token-expired', describeExpired(each))),
  ];
  const counts = `Besides the owner, ${count(people.length, 'token')} may answer and ${count(askers.length, 'program')} may ask.`;
  return [ok(subject, counts), ...notes];
}

const unkept =
  'No setting here names the access token. Unless the server was started with --token, it makes a new one at each start, and refuses whoever has an earlier one. PARLEY_TOKEN keeps one; "parley token create" makes others.';

/** Whether a token has not expired. */
export function isValid({ expiresAt }: AccessToken): boolean {
  return expiresAt === undefined || Date.parse(expiresAt) > Date.now();
}

function describeExpired({ id, name, role, expiresAt = '' }: AccessToken): string {
  const whose = name === undefined ? id : `${name} (${id})`;
  return `The token of ${whose}, ${role}, expired on ${expiresAt.slice(0, 10)}: its holder needs a new one.`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function partition<Item>(
  items: readonly Item[],
  fits: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(fits), items.filter((item) => !fits(item))];
}
