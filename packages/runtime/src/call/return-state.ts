import { randomBytes } from 'node:crypto';

/** Separates the address of the callback from the browser's secret; occurs in neither. */
const divider = '~';

/** Returns the `state` of an address; empty if it has none. */
export function stateOf(address: string): string {
  return new URL(address).searchParams.get('state') ?? '';
}

/** Returns the public part of a `state`, which identifies the callback. */
export function withoutSecret(state: string): string {
  return state.split(divider, 1)[0] ?? '';
}

/** Adds a fresh secret to the `state` of an address: only the browser that is sent there can bring it back. */
export function withSecretState(address: string): string {
  const url = new URL(address);
  url.searchParams.set('state', `${stateOf(address)}${divider}${randomBytes(32).toString('base64url')}`);
  return url.href;
}
