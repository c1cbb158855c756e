import { filePolicy, makeContentPolicy, makeViewPolicy } from './content-policy.ts';

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

/** Returns the headers of a view, which our own page frames; DNS prefetching is disabled too (PLG10). */
export function makeViewHeaders(frameAncestors: readonly string[] = []): Readonly<Record<string, string>> {
  const { 'X-Frame-Options': _, ...headers } = makeSafeHeaders(frameAncestors);
  return {
    ...headers,
    'Content-Security-Policy': makeViewPolicy(frameAncestors),
    'Connection-Allowlist': '()', // WebRTC, which that policy does not govern
    'X-DNS-Prefetch-Control': 'off',
  };
}
