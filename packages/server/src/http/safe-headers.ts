import { filePolicy, makeContentPolicy, makeViewPolicy } from './content-policy.ts';

/**
 * Of every response, whatever its route (SEC3).
 * @param frameAncestors - the origins whose pages may frame it; the older header knows no list, and is left out for one
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

/** Of a file that somebody uploaded: whatever it is, it is at home nowhere, and does nothing (PLG13). */
export function makeFileHeaders(): Readonly<Record<string, string>> {
  return { ...makeSafeHeaders(), 'Content-Security-Policy': filePolicy };
}

/** Of a view's page, which our own page frames; nothing may be looked up ahead for it, either (PLG10). */
export function makeViewHeaders(frameAncestors: readonly string[] = []): Readonly<Record<string, string>> {
  const { 'X-Frame-Options': _, ...headers } = makeSafeHeaders(frameAncestors);
  return {
    ...headers,
    'Content-Security-Policy': makeViewPolicy(frameAncestors),
    'Connection-Allowlist': '()', // WebRTC, which that policy does not govern
    'X-DNS-Prefetch-Control': 'off',
  };
}
