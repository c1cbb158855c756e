import { type Limit, type RefusalError, ToolError, type ToolErrorCode, tooLong } from '@parleyhq/core';
import type { Runtime } from '../runtime.ts';

/** What a tool asks for or returns is beyond a limit: a tool error like any other, with the limit to be counted (SEC6). */
export class LimitError extends ToolError {
  readonly limit: Limit;

  constructor(limit: Limit, code: ToolErrorCode, message: string) {
    super(code, message);
    this.limit = limit;
  }
}

/** Counts the limit that the work met, if it met one. */
export function countLimit<T>(runtime: Pick<Runtime, 'onLimit'>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw noteLimit(runtime, error);
  }
}

/** The same error. */
export function noteLimit({ onLimit }: Pick<Runtime, 'onLimit'>, error: unknown): unknown {
  if (error instanceof LimitError) onLimit(error.limit);
  return error;
}

/** The limits that the laws refused a command for. */
export function limitsMet({ code, details }: RefusalError): readonly Limit[] {
  if (code === 'queue_full') return ['queuedMessages'];
  if (code === 'too_many_prompts') return ['openPrompts'];
  const { fieldErrors = {} } = (details ?? {}) as { fieldErrors?: Readonly<Record<string, string>> };
  return Object.values(fieldErrors).includes(tooLong) ? ['valueBytes'] : [];
}
