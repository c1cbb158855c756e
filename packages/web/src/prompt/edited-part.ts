import { canonicalise, type InteractionRequest, type Json, readAt, replaceAt } from '@parleyhq/core';

type Editable = Pick<InteractionRequest, 'editPath'>;

/** What may be edited, in a word. */
export function nameOfPart({ editPath }: Editable): string {
  return editPath?.at(-1) ?? 'arguments';
}

/** That part of the arguments, or all of what has no such part: a text as it is, anything else as JSON. */
export function showPart({ editPath = [] }: Editable, args: Json = null): string {
  const part = readAt(args, editPath);
  return typeof part === 'string' ? part : JSON.stringify(part === undefined ? args : part, null, 2);
}

/** The arguments with that part as it was typed. @throws SyntaxError where it should be JSON and is none */
export function withPart({ editPath = [] }: Editable, args: Json, typed: string): Json {
  const isText = typeof readAt(args, editPath) === 'string';
  return replaceAt(args, editPath, isText ? typed : (JSON.parse(typed) as Json));
}

/** The arguments that an edit comes to; undefined where it changes nothing. */
export type Edit = Json | undefined | 'broken';

/** What was typed, as arguments. */
export function readEdit(request: Editable, given: Json | undefined, typed: string): Edit {
  const args = given ?? null;
  try {
    const value = withPart(request, args, typed);
    return canonicalise(value) === canonicalise(args) ? undefined : value;
  } catch {
    return 'broken';
  }
}
