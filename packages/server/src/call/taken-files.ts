import { asksForFiles, type InteractionSpec, ToolError, type ToolErrorCode } from '@parleyhq/core';

/** Why a call may not ask for files; undefined where it may (PLG13). */
export function whyNoFiles(isKept: boolean, isAsking: boolean): string | undefined {
  if (isAsking) return 'a tool that programs outside call asks for no files: they could not read them.';
  return isKept ? undefined : 'this server keeps no files: give it a place for them, its option "files".';
}

/** @throws ToolError with `code` where a form asks for files, and may not */
export function requireNoFiles({ inputSchema }: InteractionSpec, why: string | undefined, code: ToolErrorCode): void {
  if (why === undefined || !asksForFiles(inputSchema)) return;
  const index = inputSchema?.fields.findIndex(({ type }) => type === 'file');
  throw new ToolError(code, `inputSchema.fields.${index}.type: ${why}`);
}
