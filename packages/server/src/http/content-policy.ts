import { connectSchemes, isWebOrigin, loadSchemes, type ViewApp } from '@parleyhq/core';

/**
 * Returns the content security policy of the page: it may load its own files and use its own socket, and no string is ever turned
 * into markup or script (SEC3).
 * @param frameAncestors - the origins whose pages may show it in a frame (TRN3). Default: none
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
    "frame-src 'self'", // views of plugins, which are sandboxed in an origin of their own (PLG10)
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
 * Returns the content security policy of a view: it has an origin of its own, inline scripts and styles, and no way out (no
 * request, form or window) (PLG10). WebRTC is not governed by this policy: see `makeViewHeaders`.
 * @param app - whose page it is if it is an MCP server's, which may also use the origins that the server declared (AGT4)
 */
export function makeViewPolicy(frameAncestors: readonly string[] = [], app?: ViewApp): string {
  const { connects, loads } = listViewOrigins(app);
  return [
    "default-src 'none'",
    'sandbox allow-scripts',
    ["script-src 'unsafe-inline'", ...loads].join(' '),
    ["style-src 'unsafe-inline'", ...loads].join(' '),
    ['img-src data: blob:', ...loads].join(' '),
    ['font-src data:', ...loads].join(' '),
    ['media-src data: blob:', ...loads].join(' '),
    ...(connects.length > 0 ? [['connect-src', ...connects].join(' ')] : []),
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${["'self'", ...listFrameAncestors(frameAncestors)].join(' ')}`,
  ].join('; ');
}

/** Returns the origins of a view that can stand in a policy; anything else that a plugin hands over is left out. */
export function listViewOrigins({
  connects = [],
  loads = [],
}: Partial<ViewApp> = {}): Pick<ViewApp, 'connects' | 'loads'> {
  return {
    connects: connects.filter((origin) => isWebOrigin(origin, connectSchemes)),
    loads: loads.filter((origin) => isWebOrigin(origin, loadSchemes)),
  };
}

/** Content security policy of an uploaded file that is opened by itself. */
export const filePolicy = "default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function listFrameAncestors(frameAncestors: readonly string[]): string[] {
  return frameAncestors.map((origin) => new URL(origin).origin);
}
