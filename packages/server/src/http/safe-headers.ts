import type { ViewApp } from '@parleyhq/core';
import { filePolicy, listViewOrigins, makeContentPolicy, makeViewPolicy } from './content-policy.ts';

/**
 * Returns the headers of every response (SEC3).
 * @param frameAncestors - the origins whose pages may frame it; X-Frame-Options cannot express a list, so it is left out for one
 */
export function makeSafeHeaders(frameAncestors: readonly string[] = []): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': makeContentPolicy(frameAncestors),
    'X-Content-Type-Options': 'nosniff',
    ...(frameAncestors.length === 0 && { 'X-Frame-Options': 'DENY' }),
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

/** Returns the headers of an uploaded file: it gets an origin of its own, and nothing in it may run (PLG13). */
export function makeFileHeaders(): Readonly<Record<string, string>> {
  return { ...makeSafeHeaders(), 'Content-Security-Policy': filePolicy };
}

/**
 * Returns the headers of a view, which our own page frames; DNS prefetching is disabled too (PLG10).
 * @param app - whose page it is, with the origins that it may use, if it is an MCP server's (AGT4)
 */
export function makeViewHeaders(
  frameAncestors: readonly string[] = [],
  app?: ViewApp,
): Readonly<Record<string, string>> {
  const { connects, loads } = listViewOrigins(app);
  const reached = [...connects, ...loads].map((origin) => origin.replace(/^wss:/, 'https:')); // as browsers compare them
  const origins = [...new Set(reached)].map((origin) => JSON.stringify(origin));
  const { 'X-Frame-Options': _, ...headers } = makeSafeHeaders(frameAncestors);
  return {
    ...headers,
    'Content-Security-Policy': makeViewPolicy(frameAncestors, app),
    'Connection-Allowlist': `(${origins.join(' ')})`, // WebRTC, which that policy does not govern
    'X-DNS-Prefetch-Control': 'off',
  };
}
