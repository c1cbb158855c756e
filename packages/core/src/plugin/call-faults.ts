import { ToolError, type ToolErrorCode } from '../basics/error.ts';
import { isStorable } from '../basics/storable.ts';

/** Errors for a tool's author that the server and the test kit word identically (PLG5, PLG8). */
export const callFaults = {
  /** @param whole - name of the value @param cause - names the member that JSON would lose */
  notJson: (code: ToolErrorCode, whole: string, cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new ToolError(code, `${whole.charAt(0).toUpperCase()}${whole.slice(1)} is not JSON: ${reason}.`, { cause });
  },
  /** @param key - key of the stored value */
  stateNotJson: (key: string, cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new ToolError('tool_error', `state.set(${JSON.stringify(key)}): not JSON: ${reason}.`, { cause });
  },
  takenStep: (key: string) => new ToolError('tool_error', `Two steps of this call have the key "${key}".`),
  /** @param door - name of the context's method */
  takenKey: (door: string, key: string) =>
    new ToolError('tool_error', `${door}: this call has the key "${key}" already.`),
  oddKey: (key: string) =>
    new ToolError(
      'tool_error',
      `The key ${JSON.stringify(key)} has a NUL or half of a character: it could not be found again.`,
    ),
  fileGone: (name: string) => new ToolError('file_gone', `The file ${JSON.stringify(name)} is not here any more.`),
  slowTool: (ms: number) => new ToolError('tool_timeout', `The tool took longer than ${ms} ms of its own time.`),
  slowHook: (ms: number) => new ToolError('handler_timeout', `The hook took longer than ${ms} ms.`),
  notAllowedInTime: () => new ToolError('timeout', 'Nobody allowed this in time.'),
  interrupted: () => new ToolError('interrupted', 'The server stopped while it was running.'),
  notDurable: (toolName: string) => new ToolError('orphaned', `"${toolName}" cannot go on after a restart.`),
} as const;

/** Rejects a key that a database could change, so that its entry would not be found again. @throws ToolError `tool_error` */
export function requireKey(key: string): void {
  if (!isStorable(key)) throw callFaults.oddKey(key);
}

/** Warning about a tool that finishes while a prompt of its own is open. */
export const endedAsking = 'the handler ended while it was asking: is an await missing?';
