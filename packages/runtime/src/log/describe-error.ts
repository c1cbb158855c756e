import { isRecord, StoreError } from '@parleyhq/core';
import { SettingsError } from './settings-error.ts';

/** Limits the chain of causes, because an error may be its own cause. */
const maxCauses = 5;

/** How much of an error is logged. */
export interface ErrorDetail {
  /**
   * Whether its message is logged, too, even if it contains what people wrote; only for a log read by a plugin's author alone
   * (PLG12).
   */
  readonly logsMessages?: boolean;
}

/**
 * Describes a thrown value for the log: its type, code and stack. The message is included only if it cannot contain words of a
 * plugin, person or model, because those may be arguments or answers (SEC8). Like all functions here it never throws, although
 * the value may be a proxy or have getters that throw.
 */
export function describeError(
  thrown: unknown,
  errorDetail: ErrorDetail = {},
  causes = maxCauses,
): Record<string, unknown> {
  return tryTo(() => describe(thrown, errorDetail, causes)) ?? { type: typeof thrown };
}

function describe(thrown: unknown, errorDetail: ErrorDetail, causes: number): Record<string, unknown> {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const { code, cause } = thrown as { code?: unknown; cause?: unknown };
  return {
    type: nameOf(thrown),
    ...(isCode(code) && { code }),
    ...((errorDetail.logsMessages || isOurs(thrown)) && { message: thrown.message }),
    stack: stackOf(thrown),
    ...(causes > 0 && cause instanceof Error && { cause: describeError(cause, errorDetail, causes - 1) }),
  };
}

/** Whether a value looks like an error code; anything may be thrown under `code`, even what a person wrote. */
export function isCode(code: unknown): boolean {
  return typeof code === 'number' || (typeof code === 'string' && /^[A-Za-z]\w{0,63}$/.test(code));
}

export function nameOf(thrown: unknown): string {
  const name = tryTo(() => thrown instanceof Error && thrown.constructor.name);
  return typeof name === 'string' ? name : typeof thrown;
}

/** Returns the message of a thrown value, which may contain what people wrote: callers decide whether to log it. */
export function messageOf(thrown: unknown): string {
  return tryTo(() => String(thrown instanceof Error || isRecord(thrown) ? thrown.message : thrown)) ?? typeof thrown;
}

/**
 * Returns the stack frames without the message that precedes them; undefined if the message was changed since and cannot be cut
 * off.
 */
export function stackOf(thrown: unknown): string | undefined {
  return tryTo(() => (thrown instanceof Error ? framesOf(thrown) : undefined));
}

function framesOf({ message, stack }: Error): string | undefined {
  if (typeof stack !== 'string') return undefined;
  const start = stack.indexOf(message);
  if (start < 0) return undefined;
  const frames = stack.slice(start + message.length).split('\n');
  return frames.filter((line) => /^\s+at .*(:\d+\)?|<anonymous>\)?)$/.test(line)).join('\n');
}

/** Whether an error is from this server, its database or the system. */
function isOurs(error: Error): boolean {
  if (error instanceof StoreError || error instanceof SettingsError) return true;
  if (!isRecord(error)) return false;
  return 'syscall' in error || String(error.code).startsWith('SQLITE_');
}

function tryTo<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
