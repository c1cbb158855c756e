import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from '@slack/web-api';

/** Errors of Slack after which a message cannot be changed any more, because it was deleted or is out of reach. */
const goneErrors: ReadonlySet<string> = new Set([
  'message_not_found',
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'cant_update_message',
  'edit_window_closed',
  'user_not_found',
  'account_gone',
]);

/** Errors of Slack after which a person cannot be notified at all. */
const finalErrors: ReadonlySet<string> = new Set([
  'channel_not_found',
  'user_not_found',
  'account_gone',
  'cannot_dm_bot',
  'is_archived',
]);

/** Errors of Slack after which it may have done what was asked for. */
const unclearErrors: ReadonlySet<string> = new Set([
  'unreachable',
  'fatal_error',
  'internal_error',
  'request_timeout',
  'service_unavailable',
]);

/** What the server learns of a failure: whether to try again, and when. */
export class SlackError extends Error {
  /** Error code of Slack, such as `token_revoked`; `account_gone`, which the server knows, for a deactivated account. */
  readonly code: string;
  readonly isFinal: boolean;
  /** Whether Slack may have done what was asked for. */
  readonly isUnclear: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, { retryAfterMs, cause }: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(`Slack answered: ${code}`, { cause });
    this.name = 'SlackError';
    this.code = code === 'user_disabled' ? 'account_gone' : code;
    this.isFinal = finalErrors.has(this.code);
    this.isUnclear = unclearErrors.has(code) || code.startsWith('http_5');
    this.retryAfterMs = retryAfterMs;
  }

  get isGone(): boolean {
    return goneErrors.has(this.code);
  }
}

/** Converts what the client threw. The result contains no headers and no bodies, and so no tokens. */
export function toSlackError(error: unknown): SlackError {
  if (error instanceof SlackError) return error;
  if (error instanceof WebAPIRateLimitedError)
    return new SlackError('rate_limited', { retryAfterMs: error.retryAfter * 1000 });
  if (error instanceof WebAPIPlatformError) return new SlackError(error.data.error);
  if (error instanceof WebAPIHTTPError) return new SlackError(`http_${error.statusCode}`);
  return new SlackError('unreachable', { cause: error });
}
