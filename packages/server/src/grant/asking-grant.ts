import { type GrantOffer, nameCallerGrant } from '@parleyhq/core';

/** Whose lasting consents a tool uses that does nothing but ask: those to the program that calls it, if one does (ASK3). */
export interface AskingCall {
  /** The principal outside that made the call. */
  readonly caller: string | undefined;
}

const dayMs = 24 * 3_600_000;

/** The stored key of what a call asks for. */
export function nameFor(asking: AskingCall | undefined, name: string): string {
  return asking?.caller === undefined ? name : nameCallerGrant(asking.caller, name);
}

/** What a lasting consent covers: of a tool that only asks its caller's own requests, for a session no longer than a day (ASK3). */
export function offerFor(asking: AskingCall | undefined, offer: GrantOffer): GrantOffer {
  if (!asking) return offer;
  const { ttlMs = dayMs, sessionTtlMs = ttlMs } = offer;
  return { ...offer, key: nameFor(asking, offer.key), sessionTtlMs: Math.min(sessionTtlMs, dayMs) };
}
