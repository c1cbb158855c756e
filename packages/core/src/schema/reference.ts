import { isRecord, type JsonSchema } from '../basics/json.ts';

/** Longest chain of references that is followed, because it may be circular. */
const maxHops = 32;

/** Cache of resolved references: one object for each reference in a schema. */
const known = new WeakMap<JsonSchema, WeakMap<object, { readonly schema: JsonSchema | undefined }>>();

/**
 * Resolves the `$ref` of a schema within its document and merges the members next to it. Ignores references to other documents.
 * @returns undefined if it is not an object, or if the reference has no target or is circular
 */
export function followReference(whole: JsonSchema, written: unknown): JsonSchema | undefined {
  if (!isRecord(written)) return undefined;
  if (typeof written.$ref !== 'string') return written;
  const within = known.get(whole) ?? new WeakMap();
  known.set(whole, within);
  const followed = within.get(written) ?? { schema: follow(whole, written) };
  within.set(written, followed);
  return followed.schema;
}

function follow(whole: JsonSchema, written: JsonSchema): JsonSchema | undefined {
  let schema: unknown = written;
  let besides = {};
  for (let hops = 0; hops <= maxHops && isRecord(schema); hops += 1) {
    const { $ref, ...rest } = schema;
    if (typeof $ref !== 'string') return Object.keys(besides).length === 0 ? schema : { ...schema, ...besides };
    besides = { ...rest, ...besides };
    schema = atPointer(whole, $ref);
  }
  return undefined;
}

/** Returns the value that a JSON pointer in a fragment refers to (RFC 6901). */
function atPointer(whole: unknown, reference: string): unknown {
  const [, path] = /^#((?:\/.*)?)$/s.exec(reference) ?? [];
  if (path === undefined) return undefined;
  return path.split('/').slice(1).map(nameOf).reduce(memberOf, whole);
}

function memberOf(value: unknown, name: string): unknown {
  const hasMembers = isRecord(value) || Array.isArray(value);
  return hasMembers && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function nameOf(part: string): string {
  return decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a lone "%" is literal
  }
}
