import type { FormValues } from './field.ts';
import { fitMoment } from './fit-moment.ts';
import type { Json, JsonSchema } from './json.ts';
import {
  type Choice,
  choicesOf,
  fieldIdsOf,
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

/** What was filled into the form of a schema, as the schema has it: names, choices, moments, and null for what was left empty and must be there. */
export function fromFormValues(schema: JsonSchema, input: FormValues): FormValues {
  const properties = propertiesOf(schema);
  const names = new Map([...fieldIdsOf(properties)].map(([name, id]) => [id, name]));
  const given = Object.entries(input).map(([id, value]) => {
    const name = names.get(id) ?? id;
    return [name, fromFieldValue(properties[name], value)] as const;
  });
  const required = Array.isArray(schema.required) ? schema.required : [];
  const isLeft = (name: string) =>
    properties[name] && takesNull(properties[name]) && !given.some(([at]) => at === name);
  return Object.fromEntries([...given, ...required.filter(isLeft).map((name) => [name, null] as const)]);
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
