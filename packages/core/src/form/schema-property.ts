import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import { followReference } from '../schema/reference.ts';
import { isFieldId, type Option } from './field.ts';

export type Property = Readonly<Record<string, unknown>>;

/** A value of any JSON type that can be chosen, and what stands for it in a field, whose choices are texts. */
export interface Choice {
  readonly value: Json;
  readonly option: Option;
}

/** The id of each property's field: its name, where a field may have that (INT16). */
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

/** How deep a field looks into its property: into a union, a list in it, and the union of what that has. */
const maxDepth = 3;
/** In all unions of a form. With references, a short schema can have members without an end. */
const maxMembers = 20_000;

/** The properties of a flat object, with what they refer to in its place; those that are no schemas with members are left out. */
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

/** A property without the null that it takes besides: a field is left empty instead. */
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

/** Choices from `const` and `enum`, with the `enumNames` of older MCP servers, or from a union of titled constants. */
export function choicesOf(property: Property): readonly Choice[] | undefined {
  const { type, const: only, title, enum: values, enumNames, oneOf, anyOf = oneOf } = property;
  if (type === 'boolean') return undefined; // a box is ticked
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
 * Each value once. It is chosen by its text; by its JSON where it is the empty text, which a field takes for no choice, or where another value has that
 * text.
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

/** The choices of a list. */
export function memberChoicesOf({ type, items }: Property): readonly Choice[] | undefined {
  return type === 'array' && isRecord(items) ? choicesOf(withoutNull(items)) : undefined;
}

/** Whether a list takes no choice at all, so that what nobody touched is an answer. */
export function mayBeEmpty({ type, minItems }: Property): boolean {
  return type === 'array' && !(typeof minItems === 'number' && minItems > 0);
}
