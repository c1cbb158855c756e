import { lookup } from 'node:dns';
import { type LookUp, lookUpPublic, type Place, placeOf } from '@parleyhq/core/addresses';
import { Agent, fetch } from 'undici';
import type { FetchLike } from '../connection.ts';

/** In ms: for one answer of an authorisation server. */
const patienceMs = 15_000;
/** Its metadata and tokens are small. */
const maxBytes = 1_000_000;

/** Whose word a server's word is weighed against: that of the settings. */
export interface Trusted {
  /** The MCP server's own address. */
  readonly server: URL;
  /** The authorisation server, where the settings name it. */
  readonly issuer?: URL | undefined;
}

/** An authorisation server, or the way to it, is away: nothing is known of the tokens. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/**
 * Requests to where a server says that its authorisation server is. Its word must lead neither into the network behind Parley nor
 * around TLS: see `requireSafe`. Redirects are not followed (SEC6).
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

/** What node's `fetch` says is “fetch failed”; why is in its cause. */
function toUnreachable({ host }: URL, error: unknown): Error {
  const { cause = error } = error instanceof Error ? error : {};
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UnreachableError(`${host} cannot be reached: ${reason}`, { cause: error });
}

/** `fetch` that looks at what the names of others mean when it connects. @param lookUp - finds all addresses of a name */
export function makeOutsideFetch(trusted: Trusted, lookUp = lookup as unknown as LookUp): FetchLike {
  const refuse = (name: string) => new Error(`${name} is in a network of this computer`);
  const guarded = lookUpPublic(lookUp, refuse);
  const isInside = isOwn(placeOf(trusted.server.hostname)); // it may name what is beside it
  const choose: LookUp = (name, ...rest) => (isInside || isNamed(name, trusted) ? lookUp : guarded)(name, ...rest);
  const dispatcher = new Agent({ connect: { lookup: choose as never } });
  return ((input: string, init: object) => fetch(input, { ...init, dispatcher })) as unknown as FetchLike;
}

/**
 * Others than the settings name must not be in a network of this computer; only a server that is in one may name what is there, and
 * this machine only one that is here.
 * @throws Error saying what is wrong with it, for people
 */
export function requireSafe(url: URL, trusted: Trusted): void {
  const place = placeOf(url.hostname);
  const servers = placeOf(trusted.server.hostname);
  const isBeside = place === 'private' ? isOwn(servers) : servers === 'loopback';
  if (isOwn(place) && !isBeside && !isNamed(url.hostname, trusted))
    throw new Error(`${url.origin} is in a network of this computer, and the server is not`);
  requireSealed(url);
}

/** Tokens and codes travel to it: in the clear only within this machine. @throws Error for people */
export function requireSealed({ protocol, host, hostname }: URL): void {
  if (protocol === 'https:' || (protocol === 'http:' && placeOf(hostname) === 'loopback')) return;
  throw new Error(`${protocol}//${host} is not an https address`);
}

function isOwn(place: Place): boolean {
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
    if (bytes > maxBytes) throw new Error('the authorisation server answers with too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
