import { BlockList, isIP } from 'node:net';
import type { FetchLike } from '../connection.ts';

/** In ms: for one answer of an authorisation server. */
const patienceMs = 15_000;
/** Its metadata and tokens are small. */
const maxBytes = 1_000_000;

const local = new BlockList();
const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  local.addSubnet(net, prefix);
for (const [net, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  local.addSubnet(net, prefix, 'ipv6');

/**
 * Requests to where a server says that its authorisation server is. Its word must lead neither into the network behind Parley nor
 * around TLS: only a server that is there itself may name such an address, and redirects are not followed (SEC6).
 */
export function guardFetch(server: string, fetch: FetchLike): FetchLike {
  return async (input, init) => {
    requireSafe(new URL(input), new URL(server));
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetch(input, { ...init, redirect: 'error', signal });
    return new Response(await readText(response), { status: response.status, headers: response.headers });
  };
}

/** @throws Error saying what is wrong with it, for people */
export function requireSafe(url: URL, server: URL): void {
  if (isLocal(url.hostname) && !isLocal(server.hostname))
    throw new Error(`${url.origin} is in the network of this computer, and the server is not`);
  const isTrusted = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  if (!isTrusted) throw new Error(`${url.protocol}//${url.host} is not an https address`);
}

function isLocal(host: string): boolean {
  return isNamedLocal(host) || isIn(local, host);
}

function isLoopback(host: string): boolean {
  return isNamedLocal(host) || isIn(loopback, host);
}

function isNamedLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function isIn(list: BlockList, host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
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
