import { isRecord, type ReadSchema, type StandardSchema, type ToolErrorCode } from '@parleyhq/core';
import { runBounded } from './bounded-regex.ts';
import { LimitError } from './limit-error.ts';

export type Validate = StandardSchema['~standard']['validate'];

/**
 * A schema is a server's or a plugin's, and what it meets is a model's or a stranger's (SEC6): the time of whatever can explode, its
 * patterns, its references and lists whose members differ, is bounded. That takes a thread each time, which other schemas are spared.
 * @returns throws LimitError with this code where it takes too long
 */
export function makeValidator({ schema, jsonSchema }: ReadSchema, code: ToolErrorCode = 'invalid_args'): Validate {
  const { validate } = schema['~standard'];
  if (!mayExplode(jsonSchema)) return validate;
  return (value) => {
    const run = () => runBounded(() => validate(value));
    const result = run() ?? run(); // a schema compiles itself at its first use, which takes a busy machine long
    if (!result) throw new LimitError('patternMs', code, 'To check this against the schema took too long.');
    return result.value;
  };
}

const explosive = new Set(['pattern', 'patternProperties', 'format', '$ref', '$dynamicRef', 'uniqueItems']);

function mayExplode(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(mayExplode);
  return isRecord(schema) && Object.entries(schema).some(([key, value]) => explosive.has(key) || mayExplode(value));
}
