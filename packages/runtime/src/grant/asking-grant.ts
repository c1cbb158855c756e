import { type GrantOffer, nameCallerGrant } from '@parleyhq/core';

/** A call of a tool that only asks: it uses the lasting consents given to the program that calls it, if one does (ASK3). */
export interface AskingCall {
  /** The outside principal that made the call. */
  readonly caller: string | undefined;
}

const dayMs = 24 * 3_600_000;

/** Returns the key under which a grant for this call is stored. */
export function nameFor(asking: AskingCall | undefined, name: string): string {
  return asking?.caller === undefined ? name : nameCallerGrant(asking.caller, name);
}

/**
 * Returns the grant that a lasting consent creates. For a tool that only asks, it covers its caller's own requests, in a session
 * for at most a day (ASK3).
 */
export function offerFor(asking: AskingCall | undefined, offer: GrantOffer): GrantOffer {
  if (!asking) return offer;
  const { ttlMs = dayMs, sessionTtlMs = ttlMs } = offer;
  return { ...offer, key: nameFor(asking, offer.key), sessionTtlMs: Math.min(sessionTtlMs, dayMs) };
}
