import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import { followReference } from '../schema/reference.ts';
import { isFieldId, type Option } from './field.ts';

export type Property = Readonly<Record<string, unknown>>;

/** A choice of any JSON type, and the option that represents it in a field, whose values are texts. */
export interface Choice {
  readonly value: Json;
  readonly option: Option;
}

/** Maps each property to the id of its field: its name, if that is a valid id (INT16). */
export function fieldIdsOf(properties: object): ReadonlyMap<string, string> {
  const names = Object.keys(properties);
  const taken = new Set(names);
  return new Map(
    names.map((name, index) => {
      if (isFieldId(name)) return [name, name];
      let id = `field${index}`;
      while (taken.has(id)) id += '_';
      taken.add(id);
      return [name, id];
    }),
  );
}

/** Depth at which references are resolved: a union, a list in it, and a union of members in that. */
const maxDepth = 3;
/** Limit over all unions of a form: references let a short schema expand without end. */
const maxMembers = 20_000;

/** Returns the properties of a flat object with references resolved; drops those that are not schemas with members. */
export function propertiesOf(schema: JsonSchema): Readonly<Record<string, Property>> {
  let members = 0;
  const inline = (written: unknown, depth: number): unknown => {
    const followed = followReference(schema, written);
    if (!followed || depth === maxDepth) return followed ?? written;
    const within = (value: unknown): unknown => {
      if (!Array.isArray(value)) return inline(value, depth + 1);
      members += value.length;
      return members > maxMembers ? value : value.map((member) => inline(member, depth + 1));
    };
    const { allOf, ...others } = followed;
    const [only] = Array.isArray(allOf) && allOf.length === 1 ? allOf.map(within) : [];
    const merged = isRecord(only) ? { ...only, ...others } : followed;
    const inner = ['items', 'anyOf', 'oneOf'].filter((keyword) => keyword in merged);
    if (inner.length === 0) return merged;
    return { ...merged, ...Object.fromEntries(inner.map((keyword) => [keyword, within(merged[keyword])])) };
  };
  const written = Object.entries(isRecord(schema.properties) ? schema.properties : {});
  const own = written.map(([name, property]) => [name, inline(property, 0)] as const);
  return Object.assign(Object.create(null), Object.fromEntries(own.filter(([, property]) => isRecord(property))));
}

export function takesNull({ type, enum: values, oneOf, anyOf = oneOf }: Property): boolean {
  const isListed = [type].flat().includes('null') || (Array.isArray(values) && values.includes(null));
  return isListed || (Array.isArray(anyOf) && anyOf.some(isNull));
}

/** Returns a property without null as a possible value, because an empty field stands for it. */
export function withoutNull(property: Property): Property {
  if (!takesNull(property)) return property;
  const { type, enum: values, oneOf, anyOf = oneOf, default: fallback, ...others } = property;
  const types = [type].flat().filter((name) => name !== 'null');
  const members = Array.isArray(anyOf) ? anyOf.filter((member) => !isNull(member)) : [];
  return {
    ...(members.length === 1 && isRecord(members[0]) && members[0]),
    ...(members.length > 1 && { anyOf: members }),
    ...(type !== undefined && { type: types.length === 1 ? types[0] : types }),
    ...(Array.isArray(values) && { enum: values.filter((value) => value !== null) }),
    ...(fallback !== undefined && fallback !== null && { default: fallback }),
    ...others,
  };
}

function isNull(member: unknown): boolean {
  return isRecord(member) && (member.type === 'null' || ('const' in member && member.const === null));
}

/** Returns choices from `const` and `enum`, with the `enumNames` of older MCP servers, or from a union of titled constants. */
export function choicesOf(property: Property): readonly Choice[] | undefined {
  const { type, const: only, title, enum: values, enumNames, oneOf, anyOf = oneOf } = property;
  if (type === 'boolean') return undefined; // a checkbox instead
  if (only !== undefined) return toChoices([[only as Json, title]]);
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : [];
    return toChoices(values.map((value, index) => [value, names[index]]));
  }
  if (!Array.isArray(anyOf) || !anyOf.every((member) => isRecord(member) && member.const !== undefined))
    return undefined;
  return toChoices(anyOf.map((member) => [member.const, member.title]));
}

/**
 * Makes distinct choices. A choice's id is its text; it is its JSON if the text is empty, which a field takes for no choice, or
 * taken by another value.
 */
function toChoices(named: readonly (readonly [Json, unknown])[]): readonly Choice[] {
  const choices = new Map<string, Choice>();
  const taken = new Set<string>();
  for (const [value, name] of named) {
    const json = JSON.stringify(value);
    if (choices.has(json)) continue;
    const text = typeof value === 'string' ? value : json;
    const id = text === '' || taken.has(text) ? json : text;
    taken.add(id);
    choices.set(json, { value, option: { value: id, label: String(name || (value === '' ? 'Empty' : id)) } });
  }
  return [...choices.values()];
}

/** Returns the choices of a list property. */
export function memberChoicesOf({ type, items }: Property): readonly Choice[] | undefined {
  return type === 'array' && isRecord(items) ? choicesOf(withoutNull(items)) : undefined;
}

/** Whether an empty list is valid, so that an untouched field is an answer. */
export function mayBeEmpty({ type, minItems }: Property): boolean {
  return type === 'array' && !(typeof minItems === 'number' && minItems > 0);
}
