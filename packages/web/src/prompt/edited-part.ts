import {
  canonicalise,
  InexactNumberError,
  type InteractionRequest,
  type Json,
  parseExactJson,
  readAt,
  replaceAt,
} from '@parleyhq/core';

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

/** The arguments with that part as it was typed. @throws SyntaxError where it should be JSON and is none, InexactNumberError */
export function withPart({ editPath = [] }: Editable, args: Json, typed: string): Json {
  const isText = typeof readAt(args, editPath) === 'string';
  return replaceAt(args, editPath, isText ? typed : (parseExactJson(typed) as Json));
}

/** The arguments that an edit comes to, undefined where it changes nothing; or what is wrong with what was typed. */
export interface Edit {
  readonly args?: Json | undefined;
  readonly fault?: string;
}

/** What was typed, as arguments. */
export function readEdit(request: Editable, given: Json | undefined, typed: string): Edit {
  const args = given ?? null;
  try {
    const value = withPart(request, args, typed);
    return { args: canonicalise(value) === canonicalise(args) ? undefined : value };
  } catch (error) {
    if (!(error instanceof InexactNumberError)) return { fault: 'This is not valid JSON.' };
    return { fault: `This cannot run as it is written: ${error.message}.` };
  }
}
