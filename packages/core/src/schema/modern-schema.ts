import { isRecord } from '../basics/json.ts';

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const one = ['not', 'if', 'then', 'else', 'items', 'contains', 'additionalProperties', 'propertyNames'];
const several = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const schemas = new Set([...one, 'unevaluatedItems', 'unevaluatedProperties', ...several]);
const groups = new Set([...named, 'dependencies']);

/** Keywords that accept null as a value; elsewhere null means absent. */
const values = new Set(['const', 'default', 'enum', 'examples']);

/**
 * Converts a schema to draft 2020-12: rewrites keywords of older drafts and of OpenAPI, and drops keywords whose value is null.
 * Returns anything but an object unchanged.
 */
export function modernise(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const { $schema: _draft, id: _id, ...written } = schema; // not needed for validation
  const entries = Object.entries(written).filter(([keyword, value]) => value !== null || values.has(keyword));
  return adjust(Object.fromEntries(entries.map(([keyword, value]) => [keyword, moderniseMember(keyword, value)])));
}

function moderniseMember(keyword: string, value: unknown): unknown {
  if (keyword === '$ref' && typeof value === 'string') return value.replaceAll(/\/items(?=\/\d)/g, '/prefixItems');
  if (schemas.has(keyword)) return Array.isArray(value) ? value.map(modernise) : modernise(value);
  if (!groups.has(keyword) || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, modernise(member)]));
}

function adjust({ additionalItems, exclusiveMinimum, exclusiveMaximum, nullable, ...schema }: Record<string, unknown>) {
  const { items, minimum, maximum, required, type, ...others } = schema;
  return {
    ...others,
    ...(type !== undefined && { type, ...(nullable === true && { nullable }) }),
    ...(Array.isArray(required) && { required: [...new Set(required)] }), // draft 3 has a boolean `required` instead
    ...(Array.isArray(items)
      ? { prefixItems: items, ...(additionalItems !== undefined && { items: modernise(additionalItems) }) }
      : items !== undefined && { items }),
    ...bound('minimum', 'exclusiveMinimum', minimum, exclusiveMinimum),
    ...bound('maximum', 'exclusiveMaximum', maximum, exclusiveMaximum),
  };
}

/** In draft 4 a boolean says whether a bound is exclusive. */
function bound(name: string, exclusiveName: string, limit: unknown, exclusive: unknown): object {
  if (exclusive === true) return limit === undefined ? {} : { [exclusiveName]: limit };
  return {
    ...(limit !== undefined && { [name]: limit }),
    ...(exclusive !== undefined && exclusive !== false && { [exclusiveName]: exclusive }),
  };
}
