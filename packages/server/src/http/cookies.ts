/**
 * The login cookie's name. It carries the port, because cookies do not tell ports apart; with the prefix, which needs TLS, browsers
 * refuse one that another host or a page without TLS sets.
 */
export function nameCookie(port: number, isSecure: boolean): string {
  return isSecure ? `__Host-parley_${port}` : `parley_${port}`;
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
