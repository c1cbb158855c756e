import { type InteractionRequest, type Json, readAt } from '@parleyhq/core';

export type Editable = Pick<InteractionRequest, 'editPath'>;

/** Returns the name of what may be edited, in a word. */
export function nameOfPart({ editPath }: Editable): string {
  return editPath?.at(-1) ?? 'arguments';
}

/** Returns the editable part of the arguments, or all of them if that part is missing: text as it is, anything else as JSON. */
export function showPart({ editPath = [] }: Editable, args: Json = null): string {
  const part = readAt(args, editPath);
  return typeof part === 'string' ? part : JSON.stringify(part === undefined ? args : part, null, 2);
}
