import { RefusalError, StoreError, type WireErrorCode } from '@parleyhq/core';
import { SupersededError } from './superseded.ts';

const codes: Record<StoreError['code'], WireErrorCode> = {
  conflict: 'retry_later',
  unauthorised: 'unauthorised',
  login_again: 'login_again',
  grant_gone: 'retry_later',
  voter_gone: 'retry_later',
  passkey_gone: 'step_up_required',
  quota: 'rate_limited',
  full: 'storage_full',
  busy: 'storage_busy',
  failed: 'storage_failed',
};

/** Translates an error for clients: those of the store have their own codes, all others are `internal` (DUR8). */
export function toRefusal(error: unknown): RefusalError {
  if (error instanceof RefusalError) return error;
  if (error instanceof StoreError && error.code === 'grant_gone') return new SupersededError('grant', { cause: error });
  if (error instanceof StoreError && error.code === 'voter_gone') return new SupersededError('voter', { cause: error });
  if (error instanceof StoreError && error.code === 'passkey_gone')
    return new SupersededError('passkey', { cause: error });
  return new RefusalError(error instanceof StoreError ? codes[error.code] : 'internal', { cause: error });
}
