import { ToolError } from '../basics/error.ts';
import { InexactNumberError, parseExactJson } from '../basics/exact-json.ts';
import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import { type CallArgs, makeCallArgs } from './call-args.ts';
import { explain, readableOf } from './mismatch.ts';
import { followReference } from './reference.ts';
import { pathOf, type SchemaIssue, type StandardSchema } from './standard-schema.ts';

/**
 * Parses the arguments of a call. Whatever is shown, asked about or passed on is what this returns (APR2).
 * @throws ToolError `invalid_args`, with the argument and the reason (AGT6); `tool_error` if the parsed arguments cannot be shown
 */
export async function parseArgs(
  validate: StandardSchema['~standard']['validate'],
  jsonSchema: JsonSchema,
  args: Json,
): Promise<CallArgs> {
  const first = await validate(structuredClone(args)); // a copy, because validators may change it
  if (!first.issues) return makeCallArgs(args, first.value);
  const second = await validate(mendArgs(jsonSchema, jsonSchema, args));
  if (!second.issues) return makeCallArgs(args, second.value);
  throw new ToolError(
    'invalid_args',
    first.issues
      .flatMap(explain)
      .map((issue) => describeIssue(issue, args))
      .join('; '),
  );
}

function describeIssue(issue: SchemaIssue, args: unknown): string {
  const { message } = issue;
  const names = pathOf(issue);
  const where = names.join('.');
  if (where === '') return message;
  const isType = 'code' in issue && /^invalid_(type|value|union)$/.test(String(issue.code));
  return isType && isAbsent(args, names) ? `${where} is missing` : `${where}: ${readableOf(message)}`;
}

function isAbsent(value: unknown, path: readonly string[]): boolean {
  const found = path.reduce<unknown>(
    (at, name) => (isRecord(at) || Array.isArray(at) ? Reflect.get(at, name) : at),
    value,
  );
  return found === undefined;
}

/**
 * Repairs common mistakes of models: parses an object or list that was sent as text if the schema wants one, and drops null for
 * optional members that do not accept it (AGT6). Returns a copy.
 */
function mendArgs(whole: JsonSchema, written: unknown, args: Json): Json {
  const schema = meantBy(whole, written);
  const value = typeof args === 'string' && schema && wantsStructure(schema) ? tryParse(args) : args;
  if (Array.isArray(value)) return value.map((member) => mendArgs(whole, schema?.items, member));
  if (!isRecord(value)) return value;
  const properties = isRecord(schema?.properties) ? schema.properties : {};
  const required = Array.isArray(schema?.required) ? schema.required : [];
  const isMeant = ([name, member]: [string, unknown]) =>
    member !== null ||
    required.includes(name) ||
    !Object.hasOwn(properties, name) ||
    takesNull(whole, properties[name]);
  return Object.fromEntries(
    Object.entries(value)
      .filter(isMeant)
      .map(([name, member]) => [
        name,
        mendArgs(whole, Object.hasOwn(properties, name) ? properties[name] : undefined, member as Json),
      ]),
  );
}

/** Whether a schema accepts an object or a list, but not a text. */
function wantsStructure(schema: JsonSchema): boolean {
  const types = typesOf(schema);
  return !types.includes('string') && types.some((name) => name === 'object' || name === 'array');
}

/** Resolves a schema: follows references, and unwraps a union with null and an `allOf` with one member. */
function meantBy(whole: JsonSchema, written: unknown): JsonSchema | undefined {
  const schema = followReference(whole, written);
  if (!schema || 'properties' in schema || 'items' in schema) return schema;
  const { allOf } = schema;
  const members = membersOf(schema)?.filter((member) => !(isRecord(member) && member.type === 'null'));
  const [only, ...others] = members ?? (Array.isArray(allOf) ? allOf : []);
  return (others.length === 0 && followReference(whole, only)) || schema;
}

/** Whether a schema may accept null; true if it does not say. @param seen - because unions may be recursive */
function takesNull(whole: JsonSchema, written: unknown, seen = new Set<JsonSchema>()): boolean {
  const schema = followReference(whole, written);
  if (!schema) return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (Array.isArray(schema.enum)) return schema.enum.includes(null);
  const members = membersOf(schema);
  if (members) return members.some((member) => takesNull(whole, member, seen));
  return schema.type === undefined || typesOf(schema).includes('null');
}

function typesOf(schema: JsonSchema): unknown[] {
  return [schema.type].flat().concat((membersOf(schema) ?? []).map((member) => isRecord(member) && member.type));
}

function membersOf({ anyOf, oneOf }: JsonSchema): unknown[] | undefined {
  const union = anyOf ?? oneOf;
  return Array.isArray(union) ? union : undefined;
}

function tryParse(text: string): Json {
  try {
    return parseExactJson(text) as Json;
  } catch (error) {
    if (error instanceof InexactNumberError) throw new ToolError('invalid_args', error.message);
    return text; // not JSON after all: validation reports the problem with the text
  }
}
