import type { Json, JsonSchema } from '../basics/json.ts';
import type { FormValues } from './field.ts';
import { fitMoment } from './fit-moment.ts';
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

/** Values as the schema has them, for the fields of its form. */
export function toFormValues(schema: JsonSchema, values: Readonly<Record<string, Json>>): FormValues {
  const properties = propertiesOf(schema);
  const ids = fieldIdsOf(properties);
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [ids.get(name) ?? name, toFieldValue(properties[name], value)]),
  );
}

/** A value of a property as its field has it. */
export function toFieldValue(property: Property | undefined, value: Json): Json {
  return mapChosen(property, value, (choices, one) => {
    const text = JSON.stringify(one);
    return choices.find((choice) => JSON.stringify(choice.value) === text)?.option.value ?? one;
  });
}

/**
 * What was filled into the form of a schema, as the schema has it: names, choices, moments. What was left empty and must be there is null, or a list of
 * nothing.
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

/** A list that was emptied is one of nothing, where its default would come back otherwise. */
function valueOfNothing(property: Property, isRequired: boolean): Json | undefined {
  if (isRequired && takesNull(property)) return null;
  const plain = withoutNull(property);
  const isKept = isRequired || (plain.default !== undefined && plain.when === undefined);
  return isKept && mayBeEmpty(plain) ? [] : undefined;
}

function fromFieldValue(property: Property | undefined, value: Json): Json {
  const chosen = mapChosen(property, value, (choices, one) => {
    const choice = choices.find(({ option }) => option.value === one);
    return choice ? choice.value : one;
  });
  return property && typeof chosen === 'string' ? fitMoment(chosen, withoutNull(property)) : chosen;
}

function mapChosen(
  property: Property | undefined,
  value: Json,
  map: (choices: readonly Choice[], one: Json) => Json,
): Json {
  if (!property) return value;
  const plain = withoutNull(property);
  const choices = choicesOf(plain) ?? memberChoicesOf(plain);
  if (!choices) return value;
  return Array.isArray(value) ? value.map((one) => map(choices, one)) : map(choices, value);
}
