import * as z from 'zod';
import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import { checkJsonSchema } from '../schema/json-schema-check.ts';
import { describeMismatch } from '../schema/mismatch.ts';
import type { Parameters, ReadSchema, StandardSchema, ValuesOf } from '../schema/standard-schema.ts';

export { describeMismatch as describeMisfit, readableOf } from '../schema/mismatch.ts';
export { parseArgs } from '../schema/parse-args.ts';
export { type ModelTool, toModelTool } from './model-tool.ts';

/**
 * Reads a schema as its author wrote it (PLG9).
 * @param place - name of what the schema belongs to, which begins the error message
 * @throws Error if it is not a schema, or only validates: it could not describe what it accepts (PLG8)
 */
export function readSchema<P extends Parameters>(written: P | undefined, place: string): ReadSchema<ValuesOf<P>> {
  try {
    const parameters = fromRawShape(written ?? {});
    return (isStandard(parameters) ? readStandard(parameters) : readJsonSchema(parameters)) as ReadSchema<ValuesOf<P>>;
  } catch (cause) {
    throw unreadable(place, cause);
  }
}

/** Checks a schema of which only the JSON Schema is kept, to be read later. @throws Error if that cannot be read (PLG8) */
export function requireReadable({ jsonSchema }: ReadSchema, place: string): void {
  try {
    readComplete(jsonSchema);
  } catch (cause) {
    throw unreadable(place, cause);
  }
}

function unreadable(place: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`${place} has a schema that cannot be read: ${reason}`, { cause });
}

/** Whether a value is a Standard Schema. Those of arktype are functions. */
function isStandard(value: unknown): value is StandardSchema {
  return (isRecord(value) || typeof value === 'function') && '~standard' in value;
}

function readStandard(schema: StandardSchema): ReadSchema {
  const standard = schema['~standard'];
  if ('_zod' in schema) return { schema, jsonSchema: fromZod(schema as unknown as z.core.$ZodType) };
  const converter: unknown = Reflect.get(standard, 'jsonSchema');
  if (isRecord(converter) && typeof converter.input === 'function') {
    return { schema, jsonSchema: converter.input({ target: 'draft-2020-12' }) as JsonSchema };
  }
  throw new Error(`a schema of ${standard.vendor} that only validates. ${remedies[standard.vendor] ?? otherRemedy}`);
}

/** How to get a schema with JSON Schema from each library. */
const remedies: Record<string, string> = {
  zod: 'Import zod 4, which zod 3.25 has as "zod/v4".',
  valibot: 'Wrap it: toStandardJsonSchema(…) of @valibot/to-json-schema.',
  arktype: 'Take arktype 2.1.28 or newer.',
};
const otherRemedy = 'It needs a "~standard".jsonSchema in addition to "validate"; or write JSON Schema.';

/**
 * Converts a zod schema. Metadata from another copy of zod is in that copy's registry, so it is read from the schemas themselves.
 */
function fromZod(schema: z.core.$ZodType): JsonSchema {
  try {
    return toJsonSchema(schema);
  } catch (cause) {
    const part = findUnwritable(schema);
    throw part ? new Error(describeUnwritable(part), { cause }) : cause;
  }
}

function toJsonSchema(schema: z.core.$ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const meta: unknown = Reflect.get(zodSchema, 'meta');
      const { id: _, ...given } = typeof meta === 'function' ? { ...meta.call(zodSchema) } : {};
      for (const [name, value] of Object.entries(given)) {
        if (!(name in jsonSchema)) Object.assign(jsonSchema, { [name]: value });
      }
      const format = momentFormats[String(Reflect.get(zodSchema._zod.def, 'format'))];
      if (format) jsonSchema.format ??= format;
      if (hasFlags(zodSchema)) {
        delete jsonSchema.pattern;
        delete jsonSchema.allOf; // present if there are several patterns
      }
    },
  }) as JsonSchema;
}

interface Unwritable {
  readonly name: string | undefined;
  readonly type: string;
}

/** Finds the part that JSON Schema cannot represent, because zod's error does not name it. */
function findUnwritable(schema: z.core.$ZodType): Unwritable | undefined {
  const found: Unwritable[] = [];
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema, path }) => {
      const { type } = zodSchema._zod.def;
      if (type === 'any' || type === 'unknown' || Object.keys(jsonSchema).length > 0) return;
      const names = path.filter((_, index) => path[index - 1] === 'properties');
      found.push({ name: names.length > 0 ? names.join('.') : undefined, type });
    },
  });
  return found[0];
}

function describeUnwritable({ name, type }: Unwritable): string {
  const whole = name === undefined ? 'it' : `"${name}"`;
  return [`${whole} is of type ${type}, for which JSON Schema has no words.`, ...(writable[type] ?? [])].join(' ');
}

const writable: Record<string, string[]> = {
  date: ['Take z.iso.date() or z.iso.datetime().'],
  bigint: ['Take z.int(), or z.string() for what a number cannot hold.'],
  map: ['Take z.record(…).'],
  set: ['Take z.array(…).'],
};

/** Formats that zod omits if it validates more strictly. */
const momentFormats: Record<string, string> = { datetime: 'date-time', time: 'time' };

/** Whether a pattern has flags, which JSON Schema cannot express: without them it would reject valid values. */
function hasFlags(schema: z.core.$ZodType): boolean {
  const { checks = [] } = schema._zod.def;
  const patterns = checks.map((check) => Reflect.get(check._zod.def, 'pattern'));
  return patterns.some((pattern) => pattern instanceof RegExp && /[ims]/.test(pattern.flags));
}

/** Reads a JSON Schema. `type` defaults to `object`, because arguments, values and settings are objects. */
function readJsonSchema(written: JsonSchema): ReadSchema {
  requireKeywords(written);
  return readComplete({ type: 'object', ...written });
}

function readComplete(jsonSchema: JsonSchema): ReadSchema {
  return { schema: checkJsonSchema(jsonSchema), jsonSchema };
}

/** Converts a raw shape, `{name: z.string()}`, to a zod object (PLG8). @throws Error if only some members are zod schemas */
function fromRawShape(written: Parameters): StandardSchema | JsonSchema {
  if (isStandard(written)) return written;
  const members = Object.entries(written);
  const isZod = (value: unknown) => isRecord(value) && '_zod' in value;
  const foreign = members.find(([, value]) => isStandard(value) && !isZod(value));
  if (foreign && isStandard(foreign[1])) {
    const { vendor } = foreign[1]['~standard'];
    const remedy = vendor === 'zod' ? remedies.zod : `Wrap all of them in an object of ${vendor}.`;
    throw new Error(`"${foreign[0]}" is a schema of ${vendor}, and a raw shape takes those of zod 4. ${remedy}`);
  }
  const stray = members.find(([, value]) => !isZod(value));
  if (members.length === 0 || !members.some(([, value]) => isZod(value))) return written;
  if (stray) throw new Error(`"${stray[0]}" is not a zod schema, but others next to it are.`);
  return z.object(written as z.core.$ZodShape);
}

/** Keywords of JSON Schema that describe an object. */
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

/** Rejects properties that are not under `properties`, because they would never be checked. @throws Error naming one */
function requireKeywords(schema: object): void {
  if (structural.some((keyword) => keyword in schema)) return;
  const isSchema = (value: unknown) => isRecord(value) && typeof value.type === 'string';
  const [name] = Object.entries(schema).find(([, value]) => isSchema(value)) ?? [];
  if (name === undefined) return;
  throw new Error(
    `"${name}" is not a keyword of JSON Schema. Did you mean { type: 'object', properties: { ${name}: … } }?`,
  );
}

/**
 * Validates a value and describes what does not fit; undefined if it fits.
 * @param schema - as `readSchema` made it, or one for something else than an object
 * @param makeValidate - returns the validator, which may be time-limited
 */
export async function findMismatch(
  schema: JsonSchema | undefined,
  value: Json,
  makeValidate: (read: ReadSchema) => StandardSchema['~standard']['validate'] = (read) =>
    read.schema['~standard'].validate,
): Promise<string | undefined> {
  if (!schema) return undefined;
  const result = await makeValidate(readComplete(schema))(value);
  return result.issues && describeMismatch(result.issues);
}
