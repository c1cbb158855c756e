import * as z from 'zod';
import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import { checkJsonSchema } from '../schema/json-schema-check.ts';
import { describeMisfit } from '../schema/misfit.ts';
import type { Parameters, ReadSchema, StandardSchema, ValuesOf } from '../schema/standard-schema.ts';

export { describeMisfit, readableOf } from '../schema/misfit.ts';
export { parseArgs } from '../schema/parse-args.ts';
export { type ModelTool, toModelTool } from './model-tool.ts';

/**
 * Reads a schema as its author wrote it (PLG9).
 * @param place - what the schema belongs to, in words: the beginning of the message
 * @throws Error for what is no schema, or a schema that only validates: nobody could be told what it takes (PLG8)
 */
export function readSchema<P extends Parameters>(written: P | undefined, place: string): ReadSchema<ValuesOf<P>> {
  try {
    const parameters = fromRawShape(written ?? {});
    return (isStandard(parameters) ? readStandard(parameters) : readJsonSchema(parameters)) as ReadSchema<ValuesOf<P>>;
  } catch (cause) {
    throw unreadable(place, cause);
  }
}

/** For a schema of which only the JSON Schema is kept, and read later. @throws Error where that cannot be read (PLG8) */
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

/** The schemas of arktype are functions. */
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

/** Each library's own way to a schema that says what it takes. */
const remedies: Record<string, string> = {
  zod: 'Import zod 4, which zod 3.25 has as "zod/v4".',
  valibot: 'Wrap it: toStandardJsonSchema(…) of @valibot/to-json-schema.',
  arktype: 'Take arktype 2.1.28 or newer.',
};
const otherRemedy = 'It needs a "~standard".jsonSchema beside its "validate"; or write JSON Schema.';

/** Titles and the like that were given to a zod of another version are in a registry of its own; its schemas know it. */
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
        delete jsonSchema.allOf; // where it has several
      }
    },
  }) as JsonSchema;
}

interface Unwritable {
  readonly name: string | undefined;
  readonly type: string;
}

/** The part of a schema for which JSON Schema has no words: zod says that there is one, and not where. */
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

/** zod leaves these out where it judges more closely. */
const momentFormats: Record<string, string> = { datetime: 'date-time', time: 'time' };

/** JSON Schema has no flags: a pattern without its own would refuse what its author takes. */
function hasFlags(schema: z.core.$ZodType): boolean {
  const { checks = [] } = schema._zod.def;
  const patterns = checks.map((check) => Reflect.get(check._zod.def, 'pattern'));
  return patterns.some((pattern) => pattern instanceof RegExp && /[ims]/.test(pattern.flags));
}

/** Without `type` it is one of an object, which arguments, values and settings are. */
function readJsonSchema(written: JsonSchema): ReadSchema {
  requireKeywords(written);
  return readComplete({ type: 'object', ...written });
}

function readComplete(jsonSchema: JsonSchema): ReadSchema {
  return { schema: checkJsonSchema(jsonSchema), jsonSchema };
}

/** `{name: z.string()}` is the object it means (PLG8). @throws Error where only some members are zod schemas */
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
  if (stray) throw new Error(`"${stray[0]}" is no zod schema, and others beside it are.`);
  return z.object(written as z.core.$ZodShape);
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
  const isSchema = (value: unknown) => isRecord(value) && typeof value.type === 'string';
  const [name] = Object.entries(schema).find(([, value]) => isSchema(value)) ?? [];
  if (name === undefined) return;
  throw new Error(
    `"${name}" is no keyword of JSON Schema. Did you mean { type: 'object', properties: { ${name}: … } }?`,
  );
}

/**
 * What of a value does not fit a schema, in words; undefined if it fits.
 * @param schema - as `readSchema` made it: also one that takes what is no object
 * @param makeValidate - how it is checked, where its time is bounded
 */
export async function findMisfit(
  schema: JsonSchema | undefined,
  value: Json,
  makeValidate: (read: ReadSchema) => StandardSchema['~standard']['validate'] = (read) =>
    read.schema['~standard'].validate,
): Promise<string | undefined> {
  if (!schema) return undefined;
  const result = await makeValidate(readComplete(schema))(value);
  return result.issues && describeMisfit(result.issues);
}
