import { isRecord, type Json, type JsonSchema } from '@parleyhq/core';
import { readSchema, requireReadable } from '@parleyhq/core/schemas';
import type { Definition } from './definition.ts';

export interface Fit {
  readonly parameters: JsonSchema;
  /** A note to the model with the server's own schema, if Parley cannot read all of it. */
  readonly note?: string;
}

/** In characters: a longer schema is shortened in the note. */
const maxNoteLength = 20_000;

/**
 * Returns the part of a server's schema that Parley can read, or else a schema for any object. The rest is left to the server,
 * which checks its arguments itself, and the model gets the whole schema as text (AGT4).
 */
export function fitSchema({ inputSchema }: Pick<Definition, 'inputSchema'>): Fit {
  const schema = inputSchema as JsonSchema;
  if (isReadable(schema)) return { parameters: schema };
  const rest = readableOf(schema);
  const text = JSON.stringify(schema);
  const shown = text.length > maxNoteLength ? `${text.slice(0, maxNoteLength)} … (${text.length} characters)` : text;
  const note = `The server checks the arguments by this schema: ${shown}`;
  return { parameters: isReadable(rest) ? rest : { type: 'object' }, note };
}

function isReadable(schema: JsonSchema): boolean {
  try {
    const read = readSchema(schema, 'it');
    requireReadable(read, 'it');
    return true;
  } catch {
    return false; // the kind of error does not matter: the schema only decides how the tool is shown
  }
}

/** Returns the schema without the properties of its first level that cannot be read. */
function readableOf(schema: JsonSchema): JsonSchema {
  const { properties, ...rest } = schema as Record<string, Json>;
  if (!isRecord(properties)) return rest as JsonSchema;
  const readable = Object.entries(properties).map(([name, each]) => {
    const isFine = isRecord(each) && !JSON.stringify(each).includes('"$ref"') && isReadable(each as JsonSchema);
    return [name, isFine ? each : {}];
  });
  return { ...rest, properties: Object.fromEntries(readable) } as JsonSchema;
}
