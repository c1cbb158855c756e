import type { IncomingMessage } from 'node:http';
import { type Awaitable, isRecord, type Principal, roles, suggestName } from '@parleyhq/core';
import type { Admission } from './auth.ts';

/**
 * Whom a request lets in, as whoever embeds the server knows them; undefined for nobody (TRN3). It is asked for each request
 * and each connection, and of a browser only where its page is of an origin that may connect.
 */
export type Authenticate = (request: IncomingMessage) => Awaitable<Principal | undefined>;

/** A program has no cookies of its own accord: where it is not sure that a page of ours asks, cookies count for nothing (SEC3). */
export async function admitEmbedded(
  authenticate: Authenticate | undefined,
  request: IncomingMessage,
  isOwnPage: boolean,
): Promise<Admission | undefined> {
  if (!authenticate || (!isOwnPage && request.headers.cookie !== undefined)) return undefined;
  const principal = await authenticate(request);
  if (principal === undefined) return undefined;
  requirePrincipal(principal);
  return { principal, credential: {} };
}

/** A role with a typo must not be one that nobody checks. @throws Error naming the member (PLG8) */
function requirePrincipal(principal: unknown): void {
  const refuse = (words: string) => new Error(`authenticate: ${words}`);
  if (!isRecord(principal)) throw refuse('returned neither a principal, as in { id, name, role }, nor undefined.');
  const { id, name, role, sessions } = principal;
  if (typeof id !== 'string' || id === '') throw refuse('id: must be a text that is the same for a person each time.');
  if (name !== undefined && typeof name !== 'string') throw refuse('name: must be a text.');
  if (typeof role !== 'string' || role === 'asker' || !roles.some((each) => each === role)) {
    const known = roles.filter((each) => each !== 'asker');
    throw refuse(`role: must be one of ${known.join(', ')}.${suggestName(String(role), known)}`);
  }
  if (sessions !== undefined && !Array.isArray(sessions)) throw refuse('sessions: must be a list of ids.');
}
