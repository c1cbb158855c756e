import { isRecord, type ReadSchema, type StandardSchema, type ToolErrorCode } from '@parleyhq/core';
import { runBounded } from './bounded-regex.ts';
import { LimitError } from './limit-error.ts';

export type Validate = StandardSchema['~standard']['validate'];

/**
 * Makes a validator whose time is bounded if the schema contains parts that can explode: patterns, references, unique lists. The
 * schema comes from a plugin or an MCP server and the value from a model or an unknown client (SEC6). Bounding takes a watchdog
 * thread for each value, which other schemas are spared.
 * @returns a function that throws LimitError with this code if validation takes too long
 */
export function makeValidator({ schema, jsonSchema }: ReadSchema, code: ToolErrorCode = 'invalid_args'): Validate {
  const { validate } = schema['~standard'];
  if (!mayExplode(jsonSchema)) return validate;
  return (value) => {
    const run = () => runBounded(() => validate(value));
    const result = run() ?? run(); // a schema is compiled at its first use, which may take long on a busy machine
    if (!result) throw new LimitError('patternMs', code, 'Checking this against the schema took too long.');
    return result.value;
  };
}

const explosive = new Set(['pattern', 'patternProperties', 'format', '$ref', '$dynamicRef', 'uniqueItems']);

function mayExplode(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(mayExplode);
  return isRecord(schema) && Object.entries(schema).some(([key, value]) => explosive.has(key) || mayExplode(value));
}
