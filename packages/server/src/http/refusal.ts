import { RefusalError, type WireErrorCode, wireErrors } from '@parleyhq/core';
import type { Context } from 'hono';
import { toRefusal } from '../session/storage-refusal.ts';

export type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 426 | 429 | 500 | 503;

/** What is not here is a fault of the request. */
const statuses: Partial<Record<WireErrorCode, RefusalStatus>> = {
  unauthorised: 401,
  forbidden: 403,
  login_again: 403,
  interaction_disabled: 403,
  not_found: 404,
  idempotency_conflict: 409,
  already_answered: 409,
  stale: 409,
  closed: 409,
  not_supported: 409,
  no_turn: 409,
  rate_limited: 429,
  queue_full: 429,
  too_many_prompts: 429,
  retry_later: 503,
  storage_full: 503,
  storage_busy: 503,
  storage_failed: 503,
  internal: 500,
};

/** A body is larger than any that this route takes. */
export class TooLargeError extends RefusalError {
  constructor(maxBytes: number) {
    super('bad_frame', { message: `A request has at most ${maxBytes} bytes here.` });
  }
}

/** A form of another page cannot send this type (SEC3). */
export function isJson(context: Context): boolean {
  return /^application\/json\b/.test(context.req.header('content-type') ?? '');
}

/** A refusal of our own. */
export function refuse(
  context: Context,
  status: RefusalStatus,
  code: WireErrorCode,
  message: string = wireErrors[code],
): Response {
  if (status === 401) demandToken(context);
  return context.json({ error: { code, message } }, status);
}

/** As a 401 must (RFC 9110, section 11.6.1; RFC 6750, section 3). */
function demandToken(context: Context): void {
  context.header('WWW-Authenticate', 'Bearer realm="Parley"');
}

/** Whatever a request failed with; where it is known when to come again, `Retry-After` says so. */
export function refuseFor(context: Context, error: unknown): Response {
  const refusal = toRefusal(error);
  const { code, details } = refusal;
  if (details instanceof Object && 'retryAfterMs' in details)
    context.header('Retry-After', String(Math.ceil(Number(details.retryAfterMs) / 1000)));
  const status = refusal instanceof TooLargeError ? 413 : (statuses[code] ?? 400);
  if (status === 401) demandToken(context);
  return context.json({ error: refusal.toWire() }, status);
}
