/**
 * Why the server ends a connection: 4000 + an HTTP status (FRM3). 1012 is WebSocket's own "service restart". Clients only look at
 * `isWorthRetrying`.
 */
export const closeCodes = {
  badRequest: 4400,
  unauthorised: 4401,
  forbidden: 4403,
  helloTimeout: 4408,
  tooSlow: 4413,
  upgradeRequired: 4426,
  tooManyBadFrames: 4429,
  serverError: 4500,
  restart: 1012,
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

const finalCodes: ReadonlySet<number> = new Set([
  closeCodes.badRequest,
  closeCodes.unauthorised,
  closeCodes.forbidden,
  closeCodes.upgradeRequired,
]);

/** Whether reconnecting may help. A wrong token or protocol stays wrong; any other problem may go away. */
export function isWorthRetrying(code: number): boolean {
  return !finalCodes.has(code);
}
