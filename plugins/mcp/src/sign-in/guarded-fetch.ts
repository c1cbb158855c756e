import { lookup } from 'node:dns';
import { type LookUp, lookUpPublic, type NetworkScope, networkScopeOf } from '@parleyhq/core/addresses';
import { Agent, fetch } from 'undici';
import type { FetchLike } from '../connection.ts';

/** How long to wait for a response of an authorisation server, in ms. */
const patienceMs = 15_000;
/** Maximum size of a response: metadata and tokens are small. */
const maxBytes = 1_000_000;

/** Addresses from the settings, which are trusted over those that a server reports. */
export interface Trusted {
  /** The address of the MCP server. */
  readonly server: URL;
  /** The authorisation server, if the settings name it. */
  readonly issuer?: URL | undefined;
}

/** An authorisation server cannot be reached, so it is unknown whether the tokens are still valid. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/**
 * Wraps `fetch` for requests to the authorisation server that a server names. The address must lead neither into the network
 * behind Parley nor around TLS: see `requireSafe`. Redirects are not followed (SEC6).
 */
export function guardFetch(trusted: Trusted, fetch: FetchLike): FetchLike {
  return async (input, init) => {
    requireSafe(new URL(input), trusted);
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetch(input, { ...init, redirect: 'error', signal }).catch((error: unknown) => {
      throw toUnreachable(new URL(input), error);
    });
    return new Response(await readText(response), { status: response.status, headers: response.headers });
  };
}

/** Takes the reason from the cause, because the message of node's `fetch` is only “fetch failed”. */
function toUnreachable({ host }: URL, error: unknown): Error {
  const { cause = error } = error instanceof Error ? error : {};
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UnreachableError(`${host} cannot be reached: ${reason}`, { cause: error });
}

/** Makes a `fetch` that checks the addresses of untrusted host names when it connects. @param lookUp - resolves a host name */
export function makeOutsideFetch(trusted: Trusted, lookUp = lookup as unknown as LookUp): FetchLike {
  const refuse = (name: string) => new Error(`${name} is in a network of this computer`);
  const guarded = lookUpPublic(lookUp, refuse);
  const isInside = isOwn(networkScopeOf(trusted.server.hostname)); // a server in a private network may name others there
  const choose: LookUp = (name, ...rest) => (isInside || isNamed(name, trusted) ? lookUp : guarded)(name, ...rest);
  const dispatcher = new Agent({ connect: { lookup: choose as never } });
  return ((input: string, init: object) => fetch(input, { ...init, dispatcher })) as unknown as FetchLike;
}

/**
 * Rejects hosts in a network of this computer, unless the settings name them or the server is there itself: a server in a private
 * network may name hosts in private networks, and a server on this machine also this machine.
 * @throws Error with a message for people
 */
export function requireSafe(url: URL, trusted: Trusted): void {
  const place = networkScopeOf(url.hostname);
  const servers = networkScopeOf(trusted.server.hostname);
  const isBeside = place === 'private' ? isOwn(servers) : servers === 'loopback';
  if (isOwn(place) && !isBeside && !isNamed(url.hostname, trusted))
    throw new Error(`${url.origin} is in a network of this computer, but the MCP server is not`);
  requireSealed(url);
}

/** Requires TLS for addresses that receive tokens and codes, except on this machine. @throws Error with a message for people */
export function requireSealed({ protocol, host, hostname }: URL): void {
  if (protocol === 'https:' || (protocol === 'http:' && networkScopeOf(hostname) === 'loopback')) return;
  throw new Error(`${protocol}//${host} is not an https address`);
}

function isOwn(place: NetworkScope): boolean {
  return place === 'loopback' || place === 'private';
}

function isNamed(hostname: string, { server, issuer }: Trusted): boolean {
  return hostname === server.hostname || hostname === issuer?.hostname;
}

async function readText({ body, status }: Response): Promise<string | null> {
  if (!body || status === 204) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('the response of the authorisation server is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
