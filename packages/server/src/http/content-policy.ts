/**
 * What the page may load and do: its own files, its own socket, and no string is ever made into markup or script (SEC3).
 * @param frameAncestors - the origins whose pages may show it in a frame; none unless said (TRN3)
 */
export function makeContentPolicy(frameAncestors: readonly string[] = []): string {
  const origins = listFrameAncestors(frameAncestors);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:", // the tab's icon with its count is drawn in the page
    "connect-src 'self'",
    "frame-src 'self'", // views of plugins, which are at home in an origin of their own (PLG10)
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${origins.join(' ') || "'none'"}`,
    "require-trusted-types-for 'script'",
    'trusted-types lit-html parley-worker',
  ].join('; ');
}

/**
 * Of a view's page: an origin of its own, scripts and styles that it holds itself, and no way out: no request, no form, no window (PLG10).
 * Connections between browsers are none of its business: see `makeViewHeaders`.
 */
export function makeViewPolicy(frameAncestors: readonly string[] = []): string {
  return [
    "default-src 'none'",
    'sandbox allow-scripts',
    "script-src 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    'font-src data:',
    'media-src data: blob:',
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${["'self'", ...listFrameAncestors(frameAncestors)].join(' ')}`,
  ].join('; ');
}

/** Of a file that somebody uploaded, opened by itself. */
export const filePolicy = "default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function listFrameAncestors(frameAncestors: readonly string[]): string[] {
  return frameAncestors.map((origin) => new URL(origin).origin);
}
