import type { Instant, JsonSchema } from '@parleyhq/core';

/** What is kept of a callback: what may be posted, and until when. */
export interface CallbackRecord {
  readonly schema?: JsonSchema;
  readonly until?: Instant;
  /** A person's browser brings it. */
  readonly browser?: true;
}

/** Until when its call waits for it; for as long as it may be called if absent. */
export interface WaitRecord {
  readonly until?: Instant;
  /** Whose browser may end it. */
  readonly from?: string;
  /** Where it is sent first: its `state` has the part that only that browser knows. */
  readonly sendTo?: string;
}

const waitPrefix = 'wait:';

/** The records of a callback by what they hold: itself, its wait, and what came. */
export const callbackKeys = {
  opened: (key: string) => `callback:${key}`,
  wait: (key: string) => `${waitPrefix}${key}`,
  posted: (key: string) => `posted:${key}`,
} as const;

/** The key of the callback that a record is a wait for. */
export function awaitedBy(recordKey: string): string | undefined {
  return recordKey.startsWith(waitPrefix) ? recordKey.slice(waitPrefix.length) : undefined;
}
