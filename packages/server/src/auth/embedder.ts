import type { IncomingMessage } from 'node:http';
import { type Awaitable, isRecord, type Principal, roles, suggestName } from '@parleyhq/core';
import { SettingsError } from '@parleyhq/runtime';
import type { Admission, Auth } from './auth.ts';

/**
 * Returns the principal of a request, as known to the application that embeds the server; undefined to reject it (TRN3). Called
 * for each request and each connection; for a browser only if the origin of its page may connect.
 */
export type Authenticate = (request: IncomingMessage) => Awaitable<Principal | undefined>;

/**
 * Admits a principal of the embedding application. Cookies are ignored unless one of our pages sent them: otherwise any website
 * could act in a user's name (SEC3).
 */
export async function admitEmbedded(
  authenticate: Authenticate | undefined,
  request: IncomingMessage,
  { isOwnPage, auth }: { readonly isOwnPage: boolean; readonly auth: Pick<Auth, 'hasPrincipal'> },
): Promise<Admission | undefined> {
  if (!authenticate || (!isOwnPage && request.headers.cookie !== undefined)) return undefined;
  const known = await authenticate(request);
  if (known === undefined) return undefined;
  const principal = readPrincipal(known);
  const { id, name } = principal;
  if (await auth.hasPrincipal(id)) throw refuse(`id: "${id}" is a principal of Parley's own: return another id.`);
  const isMisleading = name !== undefined && (await auth.hasPrincipal(name)); // people often choose their own names
  return { principal: isMisleading ? { ...principal, hasNamesake: true } : principal, credential: {} };
}

function refuse(words: string): SettingsError {
  return new SettingsError(`authenticate: ${words}`);
}

/**
 * Reads a principal, and leaves out what an application has no say in, such as whose tokens it owns. An invalid one is rejected: a
 * misspelt role must not escape the checks.
 * @throws SettingsError naming the member (PLG8)
 */
function readPrincipal(principal: unknown): Principal {
  if (!isRecord(principal)) throw refuse('returned neither a principal, as in { id, name, role }, nor undefined.');
  const { id, name, role, sessions } = principal;
  if (typeof id !== 'string' || id === '') throw refuse('id: must be a text that is the same for a person each time.');
  if (name !== undefined && typeof name !== 'string') throw refuse('name: must be a text.');
  const known = roles.filter((each) => each !== 'asker');
  const given = known.find((each) => each === role);
  if (!given) throw refuse(`role: must be one of ${known.join(', ')}.${suggestName(String(role), known)}`);
  if (sessions !== undefined && !Array.isArray(sessions)) throw refuse('sessions: must be a list of ids.');
  return { id, role: given, ...(name !== undefined && { name }), ...(sessions && { sessions }) };
}
