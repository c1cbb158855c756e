import type { Instant, JsonSchema } from '@parleyhq/core';

/** Stored description of a callback: what may be posted, and until when. */
export interface CallbackRecord {
  readonly schema?: JsonSchema;
  readonly until?: Instant;
  /** Whether a person's browser calls back. */
  readonly browser?: true;
}

/** How long the call waits; if absent, as long as the callback is open. */
export interface WaitRecord {
  readonly until?: Instant;
  /** Person whose browser may end the wait. */
  readonly from?: string;
  /** Address the browser is sent to first; its `state` has a secret part that only that browser knows. */
  readonly sendTo?: string;
}

const waitPrefix = 'wait:';

/** Record keys of a callback: its description, its wait and what was posted. */
export const callbackKeys = {
  opened: (key: string) => `callback:${key}`,
  wait: (key: string) => `${waitPrefix}${key}`,
  posted: (key: string) => `posted:${key}`,
} as const;

/** Returns the key of the callback if the record describes a wait. */
export function awaitedBy(recordKey: string): string | undefined {
  return recordKey.startsWith(waitPrefix) ? recordKey.slice(waitPrefix.length) : undefined;
}
