import type { Json, JsonSchema } from '../basics/json.ts';
import type { FormValues } from './field.ts';
import { fitDatetime } from './fit-datetime.ts';
import {
  type Choice,
  choicesOf,
  fieldIdsOf,
  mayBeEmpty,
  memberChoicesOf,
  type Property,
  propertiesOf,
  takesNull,
  withoutNull,
} from './schema-property.ts';

/** Converts values from a schema's form to that of its form fields. */
export function toFormValues(schema: JsonSchema, values: Readonly<Record<string, Json>>): FormValues {
  const properties = propertiesOf(schema);
  const ids = fieldIdsOf(properties);
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [ids.get(name) ?? name, toFieldValue(properties[name], value)]),
  );
}

/** Converts the value of a property to that of its field. */
export function toFieldValue(property: Property | undefined, value: Json): Json {
  return mapChosen(property, value, (choices) => {
    const values = indexChoices(choices, (choice) => [JSON.stringify(choice.value), choice.option.value]);
    return (one) => values.get(JSON.stringify(one)) ?? one;
  });
}

/**
 * Converts a filled-in form back to its schema's names, choices and times. A required property that was left empty becomes null
 * or an empty list.
 */
export function fromFormValues(schema: JsonSchema, input: FormValues): FormValues {
  const properties = propertiesOf(schema);
  const names = new Map([...fieldIdsOf(properties)].map(([name, id]) => [id, name]));
  const given = Object.entries(input).map(([id, value]) => {
    const name = names.get(id) ?? id;
    return [name, fromFieldValue(properties[name], value)] as const;
  });
  const givenNames = new Set(given.map(([name]) => name));
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const filled = Object.entries(properties).flatMap(([name, property]) => {
    const value = givenNames.has(name) ? undefined : valueOfNothing(property, required.has(name));
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries([...given, ...filled]);
}

/** Returns the value of an empty field: an emptied list must be sent as one, because otherwise its default would apply. */
function valueOfNothing(property: Property, isRequired: boolean): Json | undefined {
  if (isRequired && takesNull(property)) return null;
  const plain = withoutNull(property);
  const isKept = isRequired || (plain.default !== undefined && plain.when === undefined);
  return isKept && mayBeEmpty(plain) ? [] : undefined;
}

function fromFieldValue(property: Property | undefined, value: Json): Json {
  const chosen = mapChosen(property, value, (choices) => {
    const values = indexChoices<Json, Json>(choices, (choice) => [choice.option.value, choice.value]);
    return (one) => (values.has(one) ? (values.get(one) as Json) : one);
  });
  return property && typeof chosen === 'string' ? fitDatetime(chosen, withoutNull(property)) : chosen;
}

/** @param read - returns what converts one value: both lists may be long */
function mapChosen(
  property: Property | undefined,
  value: Json,
  read: (choices: readonly Choice[]) => (one: Json) => Json,
): Json {
  if (!property) return value;
  const plain = withoutNull(property);
  const choices = choicesOf(plain) ?? memberChoicesOf(plain);
  if (!choices) return value;
  const convert = read(choices);
  return Array.isArray(value) ? value.map((one) => convert(one)) : convert(value);
}

/** Finds choices by a key: the first one, if several have the same. */
function indexChoices<Key, Value>(
  choices: readonly Choice[],
  read: (choice: Choice) => readonly [Key, Value],
): Map<Key, Value> {
  return new Map(choices.toReversed().map(read));
}
