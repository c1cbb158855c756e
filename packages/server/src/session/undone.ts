import { RefusalError, StoreError, type WireErrorCode } from '@parleyhq/core';

/** A command was decided on one that was refused in the store for its own sake: nothing is wrong with this one (SEC9). */
export class UndoneError extends RefusalError {
  constructor() {
    super('retry_later');
  }
}

/** A grant that a command rests on is gone: whoever wrote it looks anew for what lets it pass (APR4). */
export class GrantGoneError extends RefusalError {
  constructor(options?: { cause?: unknown }) {
    super('retry_later', options);
  }
}

/** The token of somebody whose vote a decision rests on was revoked: it is counted anew (TEAM3). */
export class VoterGoneError extends RefusalError {
  constructor(options?: { cause?: unknown }) {
    super('retry_later', options);
  }
}

/** Decides again as often as the state that it was decided on is undone. */
export async function repeatUndone<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UndoneError)) throw error;
    }
  }
}

/** Whether the store refused one command for what it alone rests on: a credential that ended or is stale, a grant or a voter that is gone. */
export function isOwnFault(error: unknown): boolean {
  if (error instanceof GrantGoneError || error instanceof VoterGoneError) return true;
  return error instanceof RefusalError && ['unauthorised', 'login_again'].includes(error.code);
}

/** How loudly the log tells of a failed append: that another node was first is a part of every day (OPS4). */
export function levelOf(refusal: RefusalError): 'debug' | 'warn' | 'error' {
  if (refusal.cause instanceof StoreError && refusal.cause.code === 'conflict') return 'debug';
  return isOwnFault(refusal) ? 'warn' : 'error';
}

/** Refusals that have nothing to do with what is stored of the session. */
const ofOtherThings: ReadonlySet<WireErrorCode> = new Set([
  'storage_full',
  'storage_busy',
  'storage_failed',
  'unauthorised',
  'login_again',
  'rate_limited',
  'internal',
]);

/** Whether it may be another decision on what other nodes stored meanwhile (OPS4). */
export function mayBeStale(error: unknown): boolean {
  return error instanceof RefusalError && !isOwnFault(error) && !ofOtherThings.has(error.code);
}
