import { setTimeout as sleep } from 'node:timers/promises';
import { GrammyError, HttpError } from 'grammy';

/** In seconds: a longer wait is left to the server, which tries again later. */
const longestWait = 5;

/**
 * Calls the Bot API; waits and tries again if that is asked for and short.
 * @param patience - in seconds: the longest wait in total
 * @throws Error for the server, see `toFailure`
 */
export async function attempt<T>(call: () => Promise<T>, signal?: AbortSignal, patience = longestWait): Promise<T> {
  for (let waited = 0; ; ) {
    try {
      return await call();
    } catch (error) {
      const wait = waitOf(error);
      if (wait === undefined || waited + wait > patience) throw toFailure(error);
      waited += wait;
      await sleep(wait * 1000, undefined, { ...(signal && { signal }) });
    }
  }
}

/** Like `attempt`, for a change of a message: one that is as wanted, or no longer exists, is fine. Returns whether it exists. */
export async function attemptEdit(call: () => Promise<unknown>, signal?: AbortSignal): Promise<boolean> {
  try {
    await attempt(call, signal);
    return true;
  } catch (error) {
    const description = describeRefusal(error);
    if (/message is not modified/i.test(description)) return true;
    if (/message to edit not found|message can't be edited|MESSAGE_ID_INVALID/i.test(description)) return false;
    throw error;
  }
}

/** Returns the seconds to wait, at least one, if the Bot API asks for a wait. */
export function waitOf(error: unknown): number | undefined {
  if (!(error instanceof GrammyError) || error.error_code !== 429) return undefined;
  return Math.max(error.parameters.retry_after ?? 1, 1);
}

/** A failure as the server reads it. Its message never contains an address, which has the bot's token in it. */
export class TelegramFailure extends Error {
  override readonly name = 'TelegramFailure';
  readonly code: string;
  readonly isFinal: boolean;
  readonly retryAfterMs: number | undefined;
  /** What the Bot API said. */
  readonly description: string;

  constructor(code: string, description: string, options: { isFinal?: boolean; retryAfterMs?: number } = {}) {
    super(`Telegram: ${description}`);
    this.code = code;
    this.description = description;
    this.isFinal = options.isFinal ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Converts an error of the library; others are returned as they are. */
export function toFailure(error: unknown): unknown {
  if (error instanceof HttpError) return new TelegramFailure('receiver_unreachable', 'it could not be reached.');
  if (!(error instanceof GrammyError)) return error;
  const { error_code: status, description } = error;
  const wait = waitOf(error);
  if (wait !== undefined) return new TelegramFailure('receiver_busy', description, { retryAfterMs: wait * 1000 });
  if (/blocked by the user|user is deactivated/i.test(description))
    return new TelegramFailure('account_gone', description, { isFinal: true });
  if (status === 401 || status === 404)
    return new TelegramFailure('bot_token_refused', `${description}: is the bot's token right?`);
  if (status === 409)
    return new TelegramFailure('bot_has_other_reader', `${description}: another program uses this bot's token.`);
  return new TelegramFailure('receiver_refused', description, { isFinal: status === 400 || status === 403 });
}

function describeRefusal(error: unknown): string {
  return error instanceof TelegramFailure ? error.description : '';
}
