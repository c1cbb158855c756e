import { RefusalError, StoreError, type WireErrorCode } from '@parleyhq/core';

/** An earlier command that this one was based on was refused by the store; this one can be repeated (SEC9). */
export class UndoneError extends RefusalError {
  constructor() {
    super('retry_later');
  }
}

/** A grant that a command rests on was revoked or used up: the caller authorises the command again (APR4). */
export class GrantGoneError extends RefusalError {
  constructor(options?: { cause?: unknown }) {
    super('retry_later', options);
  }
}

/** The token of a voter was revoked: the votes are counted again (TEAM3). */
export class VoterGoneError extends RefusalError {
  constructor(options?: { cause?: unknown }) {
    super('retry_later', options);
  }
}

/** Repeats a decision for as long as the state it was based on is undone. */
export async function repeatUndone<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UndoneError)) throw error;
    }
  }
}

/**
 * Whether the store refused a command because of what it alone rests on: a credential that ended or is stale, a revoked grant or
 * voter.
 */
export function isOwnFault(error: unknown): boolean {
  if (error instanceof GrantGoneError || error instanceof VoterGoneError) return true;
  return error instanceof RefusalError && ['unauthorised', 'login_again'].includes(error.code);
}

/** Returns the log level for a failed append: it is normal that another node was first (OPS4). */
export function levelOf(refusal: RefusalError): 'debug' | 'warn' | 'error' {
  if (refusal.cause instanceof StoreError && refusal.cause.code === 'conflict') return 'debug';
  return isOwnFault(refusal) ? 'warn' : 'error';
}

/** Refusals that do not depend on the session's stored state. */
const ofOtherThings: ReadonlySet<WireErrorCode> = new Set([
  'storage_full',
  'storage_busy',
  'storage_failed',
  'unauthorised',
  'login_again',
  'rate_limited',
  'internal',
]);

/** Whether the decision may be different with what other nodes stored meanwhile (OPS4). */
export function mayBeStale(error: unknown): boolean {
  return error instanceof RefusalError && !isOwnFault(error) && !ofOtherThings.has(error.code);
}
