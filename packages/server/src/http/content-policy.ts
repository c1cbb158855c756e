/**
 * What the page may load and do: its own files, its own socket, and no string is ever made into markup or script (SEC3).
 * @param frameAncestors - the origins whose pages may show it in a frame; none unless said (TRN3)
 */
export function makeContentPolicy(frameAncestors: readonly string[] = []): string {
  const origins = frameAncestors.map((origin) => new URL(origin).origin);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:", // the tab's icon with its count is drawn in the page
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.join(' ') || "'none'"}`,
    "require-trusted-types-for 'script'",
    'trusted-types lit-html parley-worker',
  ].join('; ');
}
