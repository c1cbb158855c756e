import { randomBytes } from 'node:crypto';

/** Between what names the place and what only one browser knows: in neither of them. */
const divider = '~';

/** The `state` of an address; empty where it has none. */
export function stateOf(address: string): string {
  return new URL(address).searchParams.get('state') ?? '';
}

/** What of a `state` names the place: anybody may know that. */
export function withoutSecret(state: string): string {
  return state.split(divider, 1)[0] ?? '';
}

/** The same address with a `state` that nobody can bring back who was not sent there: made anew each time. */
export function withSecretState(address: string): string {
  const url = new URL(address);
  url.searchParams.set('state', `${stateOf(address)}${divider}${randomBytes(32).toString('base64url')}`);
  return url.href;
}
