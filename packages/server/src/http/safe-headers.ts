import { makeContentPolicy } from './content-policy.ts';

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
