/**
 * The login cookie's name. It carries the port that browsers know, because cookies do not tell ports apart: behind a proxy that
 * of the first allowed origin, which is the same for all nodes (OPS4). With the prefix, which needs TLS, browsers refuse one
 * that another host or a page without TLS sets.
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

/** A URL does not say the usual port of its protocol. */
function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

/**
 * Every value under a cookie's name, the last first: browsers send cookies of longer paths first, and ours is for `/`. A program on
 * another port of this host can set one for a longer path, and it must not hide ours.
 */
export function readCookies(header: string | undefined, name: string): readonly string[] {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return [...new Set(values.toReversed())];
}
