import { isRecord } from '@parleyhq/core';

/** Codes of `error` and `turn_end` events for failed requests, listed in docs/agents.md. */
export type FaultCode =
  | 'rate_limited'
  | 'overloaded'
  | 'api_error'
  | 'connection_lost'
  | 'stalled'
  | 'invalid_call'
  | 'unauthorised'
  | 'context_too_long'
  | 'invalid_request'
  | 'max_tokens'
  | 'refusal'
  | 'too_many_pauses';

/** Why a message could not be written. */
export class MessagesError extends Error {
  override readonly name = 'MessagesError';
  readonly code: FaultCode;
  /** Whether a retry may succeed. It is always safe because the request had no effect yet. */
  readonly isPassing: boolean;
  /** Wait requested by the API, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: FaultCode,
    message: string,
    options: { isPassing?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.isPassing = options.isPassing ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The relevant parts of the SDK's errors. A broken stream is an error without a status. */
interface Failure {
  readonly status?: number;
  readonly type?: string | null;
  readonly message: string;
  readonly headers?: Headers;
  readonly cause?: unknown;
}

/**
 * Converts an error of the SDK.
 * @param thrown - what the SDK rejected with
 */
export function toFault(thrown: unknown, now: number): MessagesError {
  const failure: Failure = thrown instanceof Error ? thrown : { message: String(thrown) };
  const { code, message, isPassing } = classify(failure);
  const wish = failure.headers?.get('x-should-retry');
  return new MessagesError(code, message, {
    isPassing: wish === 'true' || (isPassing && wish !== 'false'),
    retryAfterMs: failure.headers && readRetryAfter(failure.headers, now),
    cause: thrown,
  });
}

function classify(failure: Failure): { code: FaultCode; message: string; isPassing: boolean } {
  const { status, type, cause } = failure;
  if (status === 429 || type === 'rate_limit_error') return passing('rate_limited', 'The model is rate limited.');
  if (status === 529 || type === 'overloaded_error') return passing('overloaded', 'The model is overloaded.');
  if (status === undefined && !type)
    return cause instanceof SyntaxError
      ? passing('invalid_call', 'The model called a tool with arguments that are not valid JSON.')
      : passing('connection_lost', `The connection to the model broke${describeCause(cause)}.`);
  if (status === undefined || status >= 500 || status === 408 || status === 409)
    return passing('api_error', `The model's server failed (${status ?? type}).`);
  if (status === 401 || status === 403) return lasting('unauthorised', 'The Messages API does not accept the key.');
  const reason = readReason(failure);
  if (status === 413 || /too long|context (window|limit)/i.test(reason))
    return lasting('context_too_long', 'The session is too long for the model: start a new one.');
  return lasting('invalid_request', `The Messages API refused the request (${status}): ${reason}`);
}

function passing(code: FaultCode, message: string) {
  return { code, message, isPassing: true };
}

function lasting(code: FaultCode, message: string) {
  return { code, message, isPassing: false };
}

/** Returns the message in the body of the API's error response. */
function readReason(failure: Failure): string {
  const body = 'error' in failure ? failure.error : undefined;
  const error = isRecord(body) ? body.error : undefined;
  return isRecord(error) && typeof error.message === 'string' ? error.message : failure.message;
}

/** Returns the system's error code if a cause has one: ECONNREFUSED says more than our words could. */
function describeCause(cause: unknown): string {
  for (let inner = cause; inner instanceof Error; inner = inner.cause)
    if ('code' in inner && typeof inner.code === 'string') return ` (${inner.code})`;
  return '';
}

/** Reads the retry-after headers, given in ms, in seconds or as a date; undefined if absent. */
function readRetryAfter(headers: Headers, now: number): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact)) return Math.max(0, exact);
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const ms = Number.isFinite(Number(text)) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
