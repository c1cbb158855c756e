import { isRecord } from '@parleyhq/core';

/** What the browser states about the page on which a passkey was made or signed; every member may be missing or anything else. */
export interface ClientData {
  readonly challenge?: unknown;
  readonly origin?: unknown;
  /** Whether the page was in a frame of a page of another origin. */
  readonly crossOrigin?: unknown;
  /** The origin of the outermost page then, if the browser states it. */
  readonly topOrigin?: unknown;
}

/** Origins of the pages that may frame ours; `any` where only the signature is in question, long after it was made. */
export type Framers = readonly string[] | 'any';

const framed = 'The page was shown within a page of another site: open Parley itself, and do it there.';

/** @param clientDataJSON - in base64url */
export function readClientData(clientDataJSON: string): ClientData {
  try {
    const value: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

/** Returns why a passkey may not be used in the frame in which it was, as a sentence; undefined if it may, or was in none. */
export function findFrameFault({ crossOrigin, topOrigin }: ClientData, framers: Framers): string | undefined {
  const isFramed = (crossOrigin ?? false) !== false || topOrigin !== undefined;
  if (!isFramed || framers === 'any') return undefined;
  const isKnown = topOrigin === undefined ? framers.length > 0 : framers.some((origin) => origin === topOrigin);
  return isKnown ? undefined : framed;
}

/** Returns what the library is to expect as the outermost page: it refuses any that it is not given. */
export function expectTop({ topOrigin }: ClientData): { readonly expectedTopOrigin?: string } {
  return typeof topOrigin === 'string' ? { expectedTopOrigin: topOrigin } : {};
}
