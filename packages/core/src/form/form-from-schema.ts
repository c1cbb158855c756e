import { isRecord, type Json, type JsonSchema } from '../basics/json.ts';
import { maxFields } from '../basics/limits.ts';
import type { Field, FormSchema } from './field.ts';
import { isFileSchema } from './file-schema.ts';
import { toFieldValue } from './form-answer.ts';
import { numberRange } from './number-range.ts';
import {
  choicesOf,
  fieldIdsOf,
  mayBeEmpty,
  memberChoicesOf,
  type Property,
  propertiesOf,
  takesNull,
  withoutNull,
} from './schema-property.ts';

/** More than any prompt has room for: references let a short schema expand to an unlimited number of choices. */
const maxChoices = 20_000;

/**
 * Makes a form from the JSON Schema of a flat object: strings, numbers, booleans, choices of any values and lists of choices.
 * References are followed. `fromFormValues` converts the answer back. `title`, `description`, `default`, `format` and bounds
 * carry over, and so do extensions without a JSON Schema keyword (from zod's `.meta`): `secret`, `multiline`, `placeholder`,
 * `header`, `invalidMessage`, `when`, `other`, `required: true`, and the `min` and `max` of dates (PLG9).
 * @param takesFiles - whether it may ask for files made with `file` (PLG13); only code in the server can read one
 * @throws TypeError naming the property that no field can represent
 */
export function formFromSchema(schema: JsonSchema, { takesFiles = false } = {}): FormSchema {
  if (schema.type !== 'object' || !isRecord(schema.properties))
    throw new TypeError('A form needs the schema of an object with properties, as in z.object({ … }).');
  const names = Object.keys(schema.properties);
  if (names.length > maxFields)
    throw new TypeError(`A form has at most ${maxFields} fields, and this one ${names.length}.`);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const ids = fieldIdsOf(schema.properties);
  const properties = propertiesOf(schema);
  let choices = 0;
  const fields = names.map((name) => {
    const field = toField(ids.get(name) ?? name, name, properties[name], required.has(name));
    choices += (field.options?.length ?? 0) + (Array.isArray(field.defaultValue) ? field.defaultValue.length : 0);
    if (choices > maxChoices) throw new TypeError(`A form has at most ${maxChoices} choices in all.`);
    return field;
  });
  const stray = takesFiles ? undefined : fields.find(({ type }) => type === 'file');
  if (stray) throw new TypeError(`The property "${stray.id}" is a file, and nobody could read it here.`);
  return { type: 'form', fields };
}

function toField(id: string, name: string, written: Property | undefined, isListed: boolean): Field {
  if (!written) throw new TypeError(`The property "${name}" has no schema.`);
  const property = withoutNull(written);
  const label = typeof property.title === 'string' ? property.title : id === name ? undefined : name;
  const isRequired = isListed && !takesNull(written) && !mayBeEmpty(property);
  const isCheckbox = property.type === 'boolean'; // false is a valid answer, so the box need not be ticked
  return {
    id,
    ...(label !== undefined && { label }),
    ...(typeof property.description === 'string' && { description: property.description }),
    ...(property.default !== undefined && { defaultValue: toFieldValue(property, property.default as Json) as never }),
    ...((isCheckbox ? property.const === true : isRequired || property.required === true) && { required: true }),
    ...extrasOf(property),
    ...shapeOf(name, property),
  };
}

/** Copies these members unchecked: the form's own schema reports what is wrong with them. */
function extrasOf(property: Record<string, unknown>): Partial<Field> {
  const extras = ['placeholder', 'header', 'when', 'other', 'invalidMessage'] as const;
  return Object.fromEntries(extras.flatMap((name) => (property[name] === undefined ? [] : [[name, property[name]]])));
}

function shapeOf(name: string, property: Record<string, unknown>): Pick<Field, 'type'> & Partial<Field> {
  const options = choicesOf(property)?.map(({ option }) => option);
  const files = filesOf(property);
  if (files) return files;
  if (options) return { type: options.length > 5 ? 'select' : 'radio', options };
  switch (property.type) {
    case 'boolean':
      return { type: 'checkbox' };
    case 'integer':
    case 'number':
      return { type: 'number', ...numberRange(property) };
    case 'array': {
      const choices = memberChoicesOf(property)?.map(({ option }) => option);
      if (choices) return { type: 'multiselect', options: choices, ...countBounds(property) };
      break;
    }
    case 'string':
      return textShape(name, property);
    default:
  }
  if (typeof property.$ref === 'string')
    throw new TypeError(`The property "${name}" refers to "${property.$ref}", which leads nowhere.`);
  throw new TypeError(`The property "${name}" fits no field: ${wayOut(property)}`);
}

/** Suggests what to write instead of a property that no field can represent. */
function wayOut({ type, anyOf, oneOf = anyOf }: Record<string, unknown>): string {
  if (type === 'object') return 'it is an object. Give each of its values a property of its own.';
  if (type === 'array') return 'a list must say what can be chosen, as z.array(z.enum([…])) does.';
  if (Array.isArray(oneOf)) return 'it has several types. Take one; what may be left out is .optional().';
  return 'it may be a text, number, boolean, choice or list of choices.';
}

/** Returns the field for one file or a list of files. */
function filesOf(property: Record<string, unknown>): (Pick<Field, 'type'> & Partial<Field>) | undefined {
  const isList = property.type === 'array';
  const one = isList ? property.items : property;
  if (!isFileSchema(one)) return undefined;
  const { accept, maxBytes, invalidMessage } = one;
  const own = definedOf({ accept, maxBytes, invalidMessage });
  return { type: 'file', ...own, ...(isList && { multiple: true, ...countBounds(property) }) };
}

const momentTypes = new Map<unknown, 'date' | 'time' | 'datetime'>([
  ['date', 'date'],
  ['time', 'time'],
  ['date-time', 'datetime'],
]);

/** Message for a value that a format's pattern rejects. */
const formatWords = new Map<unknown, string>([
  ['uuid', 'Must be a UUID, as in 123e4567-e89b-12d3-a456-426614174000.'],
  ['ipv4', 'Must be an IPv4 address, as in 192.0.2.1.'],
  ['ipv6', 'Must be an IPv6 address, as in 2001:db8::1.'],
  ['cidrv4', 'Must be a range of IPv4 addresses, as in 192.0.2.0/24.'],
  ['cidrv6', 'Must be a range of IPv6 addresses, as in 2001:db8::/32.'],
  ['hostname', 'Must be the name of a host, as in www.example.org.'],
  ['mac', 'Must be a MAC address, as in 00:1a:2b:3c:4d:5e.'],
  ['duration', 'Must be a duration, as in PT1H30M.'],
  ['e164', 'Must be a phone number that begins with its country, as in +4930123456.'],
  ['hex', 'Must be a number in hexadecimal digits, as in 1f0a.'],
  ['base64', 'Must be base64, as in aGVsbG8=.'],
]);

function definedOf(members: Record<string, unknown>): Partial<Field> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function textShape(name: string, property: Record<string, unknown>): Pick<Field, 'type'> & Partial<Field> {
  const { format, minLength, maxLength, pattern, min, max } = property;
  if (format === 'binary')
    throw new TypeError(`The property "${name}" fits no field: it is a file. Take file(), which a form can ask for.`);
  const isSecret = property.secret === true;
  const moment = isSecret ? undefined : momentTypes.get(format);
  if (moment) return { type: moment, ...definedOf({ min, max }) };
  const isKnownFormat = format === 'email' || format === 'uri';
  const matching = typeof pattern === 'string' && !isKnownFormat ? patternOf(pattern) : undefined;
  const words = property.invalidMessage === undefined ? formatWords.get(format) : undefined;
  return {
    type: isSecret ? 'secret' : property.multiline === true ? 'textarea' : 'text',
    ...(isKnownFormat && { format }),
    ...(typeof minLength === 'number' && { minLength }),
    ...(typeof maxLength === 'number' && { maxLength }),
    ...matching,
    ...(matching && words !== undefined && { invalidMessage: words }),
  };
}

/**
 * Converts a schema's pattern, which may match any part, to a field's, which must match the whole value. Returns undefined for
 * one that is too long or incompatible with the `u` flag; only the schema checks it then.
 */
function patternOf(source: string): { pattern: string } | undefined {
  const [, whole] = /^\^([^|]*[^|\\])\$$/.exec(source) ?? []; // with alternatives, each anchor would apply to one of them
  const pattern = whole ?? `[^]*(?:${source})[^]*`;
  const isLeft = pattern.length > 256 || (compiles(source) && !compiles(pattern, 'u'));
  return isLeft ? undefined : { pattern };
}

function compiles(pattern: string, flags?: string): boolean {
  try {
    return new RegExp(pattern, flags) !== undefined;
  } catch {
    return false;
  }
}

function countBounds({ minItems, maxItems }: Record<string, unknown>): Partial<Field> {
  return {
    ...(typeof minItems === 'number' && { min: minItems }),
    ...(typeof maxItems === 'number' && { max: maxItems }),
  };
}
