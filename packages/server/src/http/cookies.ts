/**
 * Returns the login cookie's name. It contains the port that browsers use, because cookies are shared between ports; behind a
 * proxy this is the port of the first allowed origin, which is the same for all servers behind it. With the `__Host-` prefix, which
 * needs TLS, browsers refuse a cookie that another host or a page without TLS sets.
 * @param options.port - where this server listens
 */
export function nameCookie(options: {
  readonly port: number;
  readonly isBehindProxy: boolean;
  readonly allowedOrigins: readonly string[];
}): string {
  const { port, isBehindProxy, allowedOrigins } = options;
  if (!isBehindProxy) return `parley_${port}`;
  const [origin] = allowedOrigins;
  return `__Host-parley_${origin === undefined ? port : portOf(new URL(origin))}`;
}

/** Returns the port of a URL, which leaves out the default port of its protocol. */
function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/** Returns the cookies whose names begin with a prefix, as names and values. */
export function listCookies(
  header: string | undefined,
  prefix: string,
): readonly (readonly [name: string, value: string])[] {
  return splitCookies(header).filter(([name]) => name.startsWith(prefix));
}

/**
 * Returns every value of a cookie, the last first: browsers send cookies of longer paths first, and ours is for `/`. A program on
 * another port of this host can set one for a longer path, and it must not hide ours.
 */
export function readCookies(header: string | undefined, name: string): readonly string[] {
  const values = splitCookies(header).flatMap(([each, value]) => (each === name ? [value] : []));
  return [...new Set(values.toReversed())];
}

function splitCookies(header = ''): readonly (readonly [name: string, value: string])[] {
  const pairs = header.split(';').map((pair) => pair.trim());
  return pairs.flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const];
  });
}
