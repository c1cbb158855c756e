import { isRecord, type Json, type JsonSchema } from '@parleyhq/core';
import { readSchema, requireReadable } from '@parleyhq/core/schemas';
import type { Definition } from './definition.ts';

export interface Fit {
  readonly parameters: JsonSchema;
  /** What the model must know besides, where Parley reads less than the server says: the server's own schema, in words for it. */
  readonly note?: string;
}

/** In characters: a schema that is longer is told in part. */
const maxTold = 20_000;

/**
 * A server's parameters as Parley can read them. What it cannot is left to the server, which checks its arguments itself: the tool
 * then takes what can be read of it, or else any object, and the model gets the schema as text (AGT4).
 */
export function fitSchema({ inputSchema }: Pick<Definition, 'inputSchema'>): Fit {
  const schema = inputSchema as JsonSchema;
  if (isReadable(schema)) return { parameters: schema };
  const rest = readableOf(schema);
  const text = JSON.stringify(schema);
  const told = text.length > maxTold ? `${text.slice(0, maxTold)} … (${text.length} characters)` : text;
  const note = `The server checks the arguments by this schema: ${told}`;
  return { parameters: isReadable(rest) ? rest : { type: 'object' }, note };
}

function isReadable(schema: JsonSchema): boolean {
  try {
    const read = readSchema(schema, 'it');
    requireReadable(read, 'it');
    return true;
  } catch {
    return false; // whatever is wrong with it: the server's word decides nothing more than how its tool is shown
  }
}

/** Its first level, without the members that cannot be read. */
function readableOf(schema: JsonSchema): JsonSchema {
  const { properties, ...rest } = schema as Record<string, Json>;
  if (!isRecord(properties)) return rest as JsonSchema;
  const readable = Object.entries(properties).map(([name, each]) => {
    const isFine = isRecord(each) && !JSON.stringify(each).includes('"$ref"') && isReadable(each as JsonSchema);
    return [name, isFine ? each : {}];
  });
  return { ...rest, properties: Object.fromEntries(readable) } as JsonSchema;
}
