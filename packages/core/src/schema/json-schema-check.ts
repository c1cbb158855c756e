import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import type { JsonSchema } from '../basics/json.ts';
import { modernise } from './modern-schema.ts';
import type { SchemaIssue, StandardSchema } from './standard-schema.ts';

/**
 * Compiles with the `u` flag, as the specification requires, or without it, because servers in other languages write other
 * patterns.
 */
const compilePattern = Object.assign(
  (pattern: string, flags: string) => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  { code: 'compilePattern' },
);

const options: Options = {
  strict: false,
  meta: false,
  validateSchema: false,
  validateFormats: false,
  allErrors: true,
  verbose: true, // for the received type in messages
  logger: false,
  code: { regExp: compilePattern },
};

/**
 * Makes a validator, by the rules of 2020-12, from a JSON Schema of any draft. Ignores formats, defaults and unknown keywords;
 * lengths count code points.
 * @throws Error if it is not a schema, a pattern does not compile, or a reference cannot be resolved
 */
export function checkJsonSchema(jsonSchema: JsonSchema): StandardSchema {
  const check = new Ajv2020(options).compile(modernise(jsonSchema) as object); // own instance: schema ids are global to one
  return {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate(value) {
        try {
          return check(value) ? { value } : { issues: toIssues(check.errors ?? []) };
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
          return { issues: [{ message: 'it, or its schema, goes on without end' }] };
        }
      },
    },
  };
}

/** Converts validation errors to issues; drops errors inside a union, because they say less than that no option fits. */
function toIssues(errors: readonly ErrorObject[]): SchemaIssue[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const isWithin = (error: ErrorObject) =>
    unions.some((union) => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`));
  return errors.filter((error) => !isWithin(error) && error.keyword !== 'if').map(toIssue);
}

/** Converts an error to an issue with the code that zod uses for the same problem. */
function toIssue({ instancePath, keyword, params, message = 'does not fit', data }: ErrorObject): SchemaIssue {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const at = (message: string, code = keyword): SchemaIssue & { code: string } => ({ code, message, path });
  switch (keyword) {
    case 'type':
      return at(`expected ${[params.type].flat().join(' or ')}, received ${typeName(data)}`, 'invalid_type');
    case 'required':
      return { ...at('it is missing', 'invalid_type'), path: [...path, params.missingProperty] };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return at(`Unrecognized key: "${params.additionalProperty ?? params.unevaluatedProperty}"`);
    case 'enum':
      return at(`expected one of ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`);
    case 'const':
      return at(`expected ${JSON.stringify(params.allowedValue)}`);
    case 'oneOf':
      return at(params.passingSchemas ? 'more than one option fits' : 'no option fits', 'invalid_union');
    case 'anyOf':
      return at('no option fits', 'invalid_union');
    default:
      return at(message);
  }
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
