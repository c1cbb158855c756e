import { RefusalError, StoreError, type WireErrorCode } from '@parleyhq/core';

/**
 * What a command was decided on changed before it was stored: an earlier command was undone (`predecessor`), a grant that it
 * uses was revoked (APR4), or the token of a voter was (TEAM3), or the passkey that signed it (SIGN2). `transact` prepares it
 * again, and then the reason for a refusal is known.
 */
export class SupersededError extends RefusalError {
  readonly reason: 'predecessor' | 'grant' | 'voter' | 'passkey';

  constructor(reason: SupersededError['reason'], options?: { cause?: unknown }) {
    super('retry_later', options);
    this.reason = reason;
  }
}

/** Whether the store refused one command for what it alone rests on: a credential, a grant, a voter or a passkey that is no longer valid. */
export function isOwnFault(error: unknown): boolean {
  if (error instanceof SupersededError) return error.reason !== 'predecessor';
  return error instanceof RefusalError && ['unauthorised', 'login_again'].includes(error.code);
}

/** The log level of a failed append. A conflict is an everyday event: somebody else appended first. */
export function levelOf(refusal: RefusalError): 'debug' | 'warn' | 'error' {
  if (refusal.cause instanceof StoreError && refusal.cause.code === 'conflict') return 'debug';
  return isOwnFault(refusal) ? 'warn' : 'error';
}

/** Refusals that do not depend on what is stored of the session. */
const independent: ReadonlySet<WireErrorCode> = new Set([
  'storage_full',
  'storage_busy',
  'storage_failed',
  'unauthorised',
  'login_again',
  'rate_limited',
  'internal',
]);

/** Whether the decision could be another on events that were missed. */
export function mayBeStale(error: unknown): boolean {
  return error instanceof RefusalError && !isOwnFault(error) && !independent.has(error.code);
}
