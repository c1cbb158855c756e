import type { IncomingMessage } from 'node:http';

/** Which Host and Origin headers belong to this server (SEC3). */
export interface OriginPolicy {
  /** Allowed `host:port` values, as browsers send them. */
  readonly hosts: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
  /** Those of the hosts at which a browser can load the page even if no proxy says that it used TLS. */
  readonly pageHosts: ReadonlySet<string>;
  /** Whether other pages may embed ours in frames; the content security policy lists which (TRN3). */
  readonly mayBeFramed: boolean;
}

/** Allows the names of a loopback server and the configured origins. TLS is terminated by the proxy, if there is one. */
export function makeOriginPolicy(options: {
  host: string;
  port: number;
  isBehindProxy: boolean;
  allowedOrigins: readonly string[];
  mayBeFramed?: boolean;
}): OriginPolicy {
  const { host, port, isBehindProxy, allowedOrigins, mayBeFramed = false } = options;
  const names = new Set(['127.0.0.1', 'localhost', '[::1]']);
  if (!isWildcard(host)) names.add(host.includes(':') ? `[${host}]` : host.toLowerCase());
  const own = [...names].map((name) => `${name}:${port}`);
  const extra = allowedOrigins.map((origin) => new URL(origin));
  const named = extra.map(({ host: name }) => name);
  return {
    hosts: new Set([...own, ...named]),
    pageHosts: new Set(isBehindProxy ? named : [...own, ...named]),
    origins: new Set([
      ...own.map((name) => `${isBehindProxy ? 'https' : 'http'}://${name}`),
      ...extra.map(({ origin }) => origin),
    ]),
    mayBeFramed,
  };
}

/** The origin of pages at one of the hosts. */
export function originOf({ origins }: OriginPolicy, host: string): string {
  return [`https://${host}`, `http://${host}`].find((origin) => origins.has(origin)) ?? `http://${host}`;
}

/** Whether a browser that asks at this host can load the page: what it needs comes with an Origin, which must be ours. */
export function canLoadPage(policy: OriginPolicy, headers: IncomingMessage['headers']): boolean {
  return policy.pageHosts.has((headers.host ?? '').toLowerCase()) || headers['x-forwarded-proto'] === 'https';
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Reads the headers. A header that was sent twice matches nothing, because it is unknown which one a proxy used. */
export function readOriginHeaders({ headers, headersDistinct }: IncomingMessage): OriginHeaders {
  const isElsewhere = /^(cross|same)-site$/.test(String(headers['sec-fetch-site'] ?? ''));
  const isNavigation = headers['sec-fetch-mode'] === 'navigate';
  // `empty` is a visit through our own service worker: no other script can send a navigation with it, and the worker leaves frames alone
  const isVisit = isNavigation && /^(document|empty)$/.test(String(headers['sec-fetch-dest']));
  return {
    host: headersDistinct.host?.join(),
    origin: headersDistinct.origin?.join(),
    isEmbedding: isElsewhere && !isVisit,
    isFrame: isNavigation && headers['sec-fetch-dest'] === 'iframe',
  };
}

/** Explains what a refused request named, and what its owner can do. */
export function explainRefusal(policy: OriginPolicy, { host = '', origin }: OriginHeaders): string {
  const isHost = !policy.hosts.has(host.toLowerCase());
  if (!isHost && origin === undefined) return 'Pages of other origins may link to this server, and no more.';
  const named = JSON.stringify((isHost ? host : (origin ?? '')).slice(0, 100));
  const words = isHost ? `The host ${named} is not this server's` : `Pages of the origin ${named} may not connect`;
  return `${words}: name its origin in allowedOrigins (PARLEY_ALLOWED_ORIGINS) if it should be let in.`;
}

/** Explains why the page cannot be loaded at an address that goes past the proxy. */
export function explainProxy({ host = '' }: IncomingMessage['headers']): string {
  return `The address ${host} goes past the proxy of this server, or the proxy does not pass on the Host that the browser sent.`;
}

interface OriginHeaders {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  /**
   * Whether a page of another site made the request, and not by a link that a person followed. Browsers report this in
   * `Sec-Fetch-*` headers and send no Origin.
   */
  readonly isEmbedding?: boolean;
  /** Requested to be shown in a frame. */
  readonly isFrame?: boolean;
}

export type OriginKind = 'browser' | 'program' | 'refused';

/**
 * Classifies the sender of a request. A program sends no Origin and is admitted, though never by cookie; a browser's Origin must
 * be ours, and `null` matches nothing. Images, scripts and frames of other pages come without an Origin too, but do not count as
 * programs. The Host must be ours in any case, which defeats DNS rebinding.
 */
export function classifyOrigin(policy: OriginPolicy, headers: OriginHeaders): OriginKind {
  if (headers.host === undefined || !policy.hosts.has(headers.host.toLowerCase())) return 'refused';
  if (headers.origin === undefined) {
    const isLetIn = !headers.isEmbedding || (policy.mayBeFramed && headers.isFrame);
    return isLetIn ? 'program' : 'refused';
  }
  return policy.origins.has(headers.origin) ? 'browser' : 'refused'; // mutant: origin
}
