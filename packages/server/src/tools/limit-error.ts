import { type Limit, type RefusalError, ToolError, type ToolErrorCode, tooLong } from '@parleyhq/core';

/** Hears of each limit that was reached (SEC6). */
export type ReachedLimit = (limit: Limit) => void;

/** What a tool asks for or returns is beyond a limit: a tool error like any other, with the limit to be counted (SEC6). */
export class LimitError extends ToolError {
  readonly limit: Limit;

  constructor(limit: Limit, code: ToolErrorCode, message: string) {
    super(code, message);
    this.limit = limit;
  }
}

/** Counts the limit that the work reached, if it reached one. */
export function countLimit<T>(reached: ReachedLimit, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw noteLimit(reached, error);
  }
}

/** Returns the same error. */
export function noteLimit(reached: ReachedLimit, error: unknown): unknown {
  if (error instanceof LimitError) reached(error.limit);
  return error;
}

/** The limits for which the law refused a command. */
export function limitsReachedBy({ code, details }: RefusalError): readonly Limit[] {
  const { fieldErrors = {}, limit } = (details ?? {}) as {
    fieldErrors?: Readonly<Record<string, string>>;
    limit?: Limit;
  };
  if (code === 'queue_full') return [limit ?? 'queuedMessages'];
  if (code === 'too_many_prompts') return [limit ?? 'openPrompts'];
  return Object.values(fieldErrors).includes(tooLong) ? ['valueBytes'] : [];
}
