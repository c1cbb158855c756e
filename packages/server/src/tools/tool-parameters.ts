import { isRecord, type JsonSchema, type Parameters } from '@parleyhq/core';
import * as z from 'zod';

/** The part of a Standard Schema that checks values; zod and its kin all have it. */
export interface Standard {
  readonly '~standard': {
    validate(value: unknown): StandardResult | Promise<StandardResult>;
  };
}

interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly Issue[] | undefined;
}

export interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

export interface ReadParameters {
  readonly schema: Standard;
  readonly jsonSchema: JsonSchema;
  /** Whether a check may match regular expressions, as far as the JSON Schema tells. */
  readonly hasPatterns: boolean;
}

/** Parameters as a check and as JSON Schema, whichever of the two its author wrote. @throws Error for what is neither (PLG8) */
export function readParameters(written: Parameters | undefined, place: string): ReadParameters {
  try {
    const parameters = fromRawShape(written);
    if (parameters && '~standard' in parameters) {
      const jsonSchema = '_zod' in parameters ? z.toJSONSchema(parameters as z.core.$ZodType, { io: 'input' }) : {};
      return {
        schema: parameters as Standard,
        jsonSchema,
        hasPatterns: !('_zod' in parameters) || hasPatterns(jsonSchema),
      };
    }
    requireKeywords(parameters ?? {});
    const jsonSchema: JsonSchema = { type: 'object', ...parameters }; // arguments are an object, whether said or not
    const options = 'definitions' in jsonSchema ? ({ defaultTarget: 'draft-7' } as const) : {}; // where `$defs` had its old name
    const schema = z.fromJSONSchema(jsonSchema as z.core.JSONSchema.JSONSchema, options);
    return { schema, jsonSchema, hasPatterns: hasPatterns(jsonSchema) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${place} has parameters that cannot be read: ${reason}`, { cause });
  }
}

const patterned = new Set(['pattern', 'patternProperties', 'format']);

function hasPatterns(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasPatterns);
  return isRecord(schema) && Object.entries(schema).some(([key, value]) => patterned.has(key) || hasPatterns(value));
}

/** `{name: z.string()}` is the object it means (PLG8). @throws Error where only some members are zod schemas */
function fromRawShape(parameters: Parameters | undefined): Parameters | undefined {
  if (!parameters || '~standard' in parameters) return parameters;
  const isZod = (value: unknown) => isRecord(value) && '_zod' in value;
  const members = Object.entries(parameters);
  const stray = members.find(([, value]) => !isZod(value));
  if (members.length === 0 || !members.some(([, value]) => isZod(value))) return parameters;
  if (stray) throw new Error(`"${stray[0]}" is no zod schema, and others beside it are.`);
  return z.object(parameters as z.core.$ZodShape);
}

/** Keywords under which a JSON Schema says something of an object. */
const structural = ['properties', 'required', 'patternProperties', 'additionalProperties', 'propertyNames'].concat([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'enum',
  'const',
  '$ref',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Properties beside the keywords instead of under `properties` would be checked by nobody. @throws Error naming one */
function requireKeywords(schema: object): void {
  if (structural.some((keyword) => keyword in schema)) return;
  const isSchema = (value: unknown) => isRecord(value) && (typeof value.type === 'string' || '~standard' in value);
  const [name] = Object.entries(schema).find(([, value]) => isSchema(value)) ?? [];
  if (name === undefined) return;
  throw new Error(
    `"${name}" is no keyword of JSON Schema. Did you mean { type: 'object', properties: { ${name}: … } }?`,
  );
}

/** A schema's message without the words that say nothing. */
export function readableOf(message: string): string {
  return message.replace(/^Invalid input: /, '');
}
