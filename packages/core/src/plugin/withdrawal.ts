import { ToolError } from '../basics/error.ts';

/** What a tool says of why it waits no longer, for people, too; undefined where it says nothing. */
export function whyOf(signal: AbortSignal | undefined): string | undefined {
  const reason: unknown = signal?.reason;
  return reason instanceof ToolError ? reason.message : undefined;
}

/** What rejects in a tool that gave up waiting, by its own signal or before a restart. */
export function withdrawn(signal: AbortSignal | undefined): ToolError {
  return new ToolError('withdrawn', whyOf(signal) ?? 'This was withdrawn before anybody answered.');
}
