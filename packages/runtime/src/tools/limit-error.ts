import { type Limit, type RefusalError, ToolError, type ToolErrorCode, tooLong } from '@parleyhq/core';

/** Counts each limit that is reached (SEC6). */
export type ReachedLimit = (limit: Limit) => void;

/** A request or result of a tool exceeds a limit: a tool error that also names the limit, so that metrics can count it (SEC6). */
export class LimitError extends ToolError {
  readonly limit: Limit;

  constructor(limit: Limit, code: ToolErrorCode, message: string) {
    super(code, message);
    this.limit = limit;
  }
}

/** Runs work and counts the limit that it reached, if any. */
export function countLimit<T>(reached: ReachedLimit, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw noteLimit(reached, error);
  }
}

/** Counts the limit of a LimitError. Returns the same error. */
export function noteLimit(reached: ReachedLimit, error: unknown): unknown {
  if (error instanceof LimitError) reached(error.limit);
  return error;
}

/** Returns the limits for which a command was refused. */
export function limitsReachedBy({ code, details }: RefusalError): readonly Limit[] {
  const { fieldErrors = {}, limit } = (details ?? {}) as {
    fieldErrors?: Readonly<Record<string, string>>;
    limit?: Limit;
  };
  if (limit !== undefined) return [limit];
  if (code === 'queue_full') return ['queuedMessages'];
  if (code === 'too_many_prompts') return ['openPrompts'];
  return Object.values(fieldErrors).includes(tooLong) ? ['valueBytes'] : [];
}
