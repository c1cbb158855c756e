import { ToolError } from './error.ts';
import { isRecord, type Json, type JsonSchema } from './json.ts';
import { readableOf } from './misfit.ts';
import { pathOf, type SchemaIssue, type StandardSchema } from './standard-schema.ts';

/**
 * What a tool's handler gets for the arguments of a call.
 * @param args - its own copy: validation may change it
 * @throws ToolError `invalid_args`, saying which argument and why (AGT6)
 */
export async function parseArgs(
  validate: StandardSchema['~standard']['validate'],
  jsonSchema: JsonSchema,
  args: Json,
): Promise<unknown> {
  const first = await validate(args);
  if (!first.issues) return first.value;
  const second = await validate(parseNestedJson(jsonSchema, args));
  if (!second.issues) return second.value;
  throw new ToolError('invalid_args', first.issues.map((issue) => describeIssue(issue, args)).join('; '));
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

/** Models sometimes send an object or a list as text: it is parsed where the schema wants one (AGT6). */
function parseNestedJson(schema: unknown, args: Json): Json {
  if (!isRecord(schema)) return args;
  const value = typeof args === 'string' && wantsStructure(schema) ? tryParse(args) : args;
  if (Array.isArray(value)) return value.map((member) => parseNestedJson(schema.items, member));
  if (!isRecord(value) || !isRecord(schema.properties)) return value;
  const { properties } = schema;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      parseNestedJson(Object.hasOwn(properties, key) ? properties[key] : undefined, member as Json),
    ]),
  );
}

/** Whether it takes an object or a list, and no text. */
function wantsStructure({ type, anyOf, oneOf }: JsonSchema): boolean {
  const union = anyOf ?? oneOf;
  const types = [type]
    .flat()
    .concat(Array.isArray(union) ? union.map((member) => isRecord(member) && member.type) : []);
  return !types.includes('string') && types.some((name) => name === 'object' || name === 'array');
}

function tryParse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text; // not JSON after all: validation says what is wrong with the text itself
  }
}
