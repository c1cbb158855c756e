import { asksForFiles, type InteractionSpec, ToolError, type ToolErrorCode } from '@parleyhq/core';

/** Returns why a call may not ask for files; undefined if it may (PLG13). */
export function whyNoFiles(isKept: boolean, isAsking: boolean): string | undefined {
  if (isAsking) return 'a tool that outside programs call cannot ask for files, because they could not read them.';
  return isKept ? undefined : 'this server stores no files: set its option "files".';
}

/** @throws ToolError with `code` if a form asks for files and may not */
export function requireNoFiles({ inputSchema }: InteractionSpec, why: string | undefined, code: ToolErrorCode): void {
  if (why === undefined || !asksForFiles(inputSchema)) return;
  const index = inputSchema?.fields.findIndex(({ type }) => type === 'file');
  throw new ToolError(code, `inputSchema.fields.${index}.type: ${why}`);
}
