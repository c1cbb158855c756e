import { type CloseReason, ToolError, withdrawn } from '@parleyhq/core';

/** Ends the promise of a prompt that was closed. Fails closed: a timeout is never a consent (INT10). */
export function endClosed(reason: CloseReason, signal: AbortSignal | undefined): { ok: false; error: 'timeout' } {
  if (reason === 'timeout') return { ok: false, error: 'timeout' };
  if (reason === 'cancelled' || reason === 'session_ended') {
    throw new ToolError('cancelled', 'The turn ended before anybody answered.');
  }
  if (reason === 'withdrawn' || reason === 'orphaned') throw withdrawn(signal);
  throw new ToolError('call_closed', 'The call ended before anybody answered.');
}
