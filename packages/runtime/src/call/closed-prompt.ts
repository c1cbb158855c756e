import { type CloseReason, ToolError, withdrawn } from '@parleyhq/core';
import { answerOf } from '../session/stored-answer.ts';
import type { PastAttempt } from './journal.ts';
import type { Settlement } from './waiters.ts';

/** Ends the promise of a prompt that was closed. Fails closed: a timeout is never a consent (INT10). */
export function endClosed(reason: CloseReason, signal: AbortSignal | undefined): { ok: false; error: 'timeout' } {
  if (reason === 'timeout') return { ok: false, error: 'timeout' };
  if (reason === 'cancelled' || reason === 'session_ended') {
    throw new ToolError('cancelled', 'The turn ended before anybody answered.');
  }
  if (reason === 'withdrawn' || reason === 'orphaned') throw withdrawn(signal);
  throw new ToolError('call_closed', 'The call ended before anybody answered.');
}

/** Returns how a prompt was settled before its handler came back to it. */
export function settlementOf({ state, response, answeredAt, closed }: PastAttempt): Settlement {
  if (response && answeredAt) return { kind: 'answered', answer: answerOf(response, answeredAt) };
  if (state === 'expired') return { kind: 'expired' };
  return { kind: 'closed', reason: closed?.reason ?? 'timeout' };
}
