import { RefusalError, StoreError, type WireErrorCode } from '@parleyhq/core';

const codes: Record<StoreError['code'], WireErrorCode> = {
  conflict: 'retry_later',
  unauthorised: 'unauthorised',
  quota: 'rate_limited',
  full: 'storage_full',
  busy: 'storage_busy',
  failed: 'storage_failed',
};

/** What a client is told of a fault: the store's in its own words, anything else as ours (DUR8). */
export function toRefusal(error: unknown): RefusalError {
  if (error instanceof RefusalError) return error;
  return new RefusalError(error instanceof StoreError ? codes[error.code] : 'internal', { cause: error });
}
