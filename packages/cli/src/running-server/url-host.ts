/** The same address of the page with a host name, which passkeys need. */
export function nameLocal(url: string): string {
  return url.replace('http://127.0.0.1:', 'http://localhost:');
}

/** The host part of a URL for a server bound to `host`: all-interfaces addresses become loopback, IPv6 gets brackets. */
export function toUrlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
