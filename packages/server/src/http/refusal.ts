import { RefusalError, type WireErrorCode, wireErrors } from '@parleyhq/core';
import { toRefusal } from '@parleyhq/runtime';
import type { Context } from 'hono';
import type { RefusalStatus } from '../connection/transport/connections.ts';

/** Statuses by error code; all other codes are 400. */
const statuses: Partial<Record<WireErrorCode, RefusalStatus>> = {
  unauthorised: 401,
  forbidden: 403,
  login_again: 403,
  step_up_required: 403,
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

/** A body is larger than this route accepts. */
export class TooLargeError extends RefusalError {
  constructor(maxBytes: number) {
    super('bad_frame', { message: `A request to this route has at most ${maxBytes} bytes.` });
  }
}

/** Whether the request has JSON; a form of another page cannot send this type (SEC3). */
export function isJson(context: Context): boolean {
  return /^application\/json\b/.test(context.req.header('content-type') ?? '');
}

/** Responds with a refusal. */
export function refuse(
  context: Context,
  status: RefusalStatus,
  code: WireErrorCode,
  message: string = wireErrors[code],
  details?: Readonly<Record<string, string>>,
): Response {
  if (status === 401) demandToken(context);
  return context.json({ error: { code, message, ...(details && { details }) } }, status);
}

/** Adds the header that a 401 must have (RFC 9110, section 11.6.1; RFC 6750, section 3). */
function demandToken(context: Context): void {
  context.header('WWW-Authenticate', 'Bearer realm="Parley"');
}

/** Responds to a failed request. If it is known when to retry, `Retry-After` says so. */
export function refuseFor(context: Context, error: unknown): Response {
  const refusal = toRefusal(error);
  const { code, details } = refusal;
  if (details instanceof Object && 'retryAfterMs' in details)
    context.header('Retry-After', String(Math.ceil(Number(details.retryAfterMs) / 1000)));
  const status = refusal instanceof TooLargeError ? 413 : (statuses[code] ?? 400);
  if (status === 401) demandToken(context);
  return context.json({ error: refusal.toWire() }, status);
}
