import { ToolError } from '../basics/error.ts';

/** Returns the tool's reason for no longer waiting, which people see, too; undefined if it gave none. */
export function whyOf(signal: AbortSignal | undefined): string | undefined {
  const reason: unknown = signal?.reason;
  return reason instanceof ToolError ? reason.message : undefined;
}

/** Whether the tool gave up waiting because the program that asked has died. */
export function isOrphaning(signal: AbortSignal | undefined): boolean {
  const reason: unknown = signal?.reason;
  return reason instanceof ToolError && reason.code === 'orphaned';
}

/** Makes the rejection for a tool that gave up waiting, by its own signal or before a restart. */
export function withdrawn(signal: AbortSignal | undefined): ToolError {
  return new ToolError('withdrawn', whyOf(signal) ?? 'This was withdrawn before anybody answered.');
}
