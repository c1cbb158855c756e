import type { Field, FormSchema, Option } from './field.ts';
import { isFileSchema } from './file-schema.ts';
import { isRecord, type JsonSchema } from './json.ts';
import { numberRange } from './number-range.ts';

/**
 * Makes a form from a flat object in JSON Schema: strings, numbers, booleans, choices and lists of choices. `title`,
 * `description`, `default`, `format` and bounds carry over, and so does what JSON Schema has no keyword for (from zod's `.meta`):
 * `secret`, `multiline`, `placeholder`, `header`, `invalidMessage`, `when`, `other`, `required: true`, and the `min` and `max` of dates (PLG9).
 * @param takesFiles - whether it may ask for files, as `file` writes them (PLG13); only what runs in the server can read one
 * @throws TypeError naming the property that no field can represent
 */
export function formFromSchema(schema: JsonSchema, { takesFiles = false } = {}): FormSchema {
  if (schema.type !== 'object' || !isRecord(schema.properties))
    throw new TypeError('A form needs the schema of an object with properties, as in z.object({ … }).');
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = Object.entries(schema.properties).map(([id, property]) => toField(id, property, required.has(id)));
  const stray = takesFiles ? undefined : fields.find(({ type }) => type === 'file');
  if (stray) throw new TypeError(`The property "${stray.id}" is a file, and nobody could read it here.`);
  return { type: 'form', fields };
}

function toField(id: string, property: unknown, isRequired: boolean): Field {
  if (!isRecord(property)) throw new TypeError(`The property "${id}" has no schema.`);
  const isCheckbox = property.type === 'boolean'; // false is a valid answer, so the box need not be ticked
  return {
    id,
    ...(typeof property.title === 'string' && { label: property.title }),
    ...(typeof property.description === 'string' && { description: property.description }),
    ...(property.default !== undefined && { defaultValue: property.default as never }),
    ...((isCheckbox ? property.const === true : isRequired || property.required === true) && { required: true }),
    ...extrasOf(property),
    ...shapeOf(id, property),
  };
}

/** Handed on as they were written: the form's own check says what is wrong with them. */
function extrasOf(property: Record<string, unknown>): Partial<Field> {
  const extras = ['placeholder', 'header', 'when', 'other', 'invalidMessage'] as const;
  return Object.fromEntries(extras.flatMap((name) => (property[name] === undefined ? [] : [[name, property[name]]])));
}

function shapeOf(id: string, property: Record<string, unknown>): Pick<Field, 'type'> & Partial<Field> {
  const options = optionsOf(property);
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
      const choices = isRecord(property.items) ? optionsOf(property.items) : undefined;
      if (choices) return { type: 'multiselect', options: choices, ...countBounds(property) };
      break;
    }
    case 'string':
      return textShape(property);
    default:
  }
  throw new TypeError(
    `The property "${id}" fits no field: it may be a text, number, boolean, choice or list of choices.`,
  );
}

/** One file, or a list of files. */
function filesOf(property: Record<string, unknown>): (Pick<Field, 'type'> & Partial<Field>) | undefined {
  const isList = property.type === 'array';
  const one = isList ? property.items : property;
  if (!isFileSchema(one)) return undefined;
  const { accept, maxBytes, invalidMessage } = one;
  const own = definedOf({ accept, maxBytes, invalidMessage });
  return { type: 'file', ...own, ...(isList && { multiple: true, ...countBounds(property) }) };
}

/** Choices from `const` and `enum`, with the `enumNames` of older MCP servers, or from a union of titled constants. All must be strings. */
function optionsOf(property: Record<string, unknown>): Option[] | undefined {
  if (typeof property.const === 'string')
    return [{ value: property.const, label: String(property.title ?? property.const) }];
  if (Array.isArray(property.enum) && property.enum.every((value) => typeof value === 'string')) {
    const names = Array.isArray(property.enumNames) ? property.enumNames : property.enum;
    return property.enum.map((value, index) => ({ value, label: String(names[index] ?? value) }));
  }
  const union = property.oneOf ?? property.anyOf;
  if (!Array.isArray(union) || !union.every((member) => isRecord(member) && typeof member.const === 'string')) {
    return undefined;
  }
  return union.map((member) => ({ value: member.const, label: String(member.title ?? member.const) }));
}

const momentTypes: Record<string, 'date' | 'time' | 'datetime'> = {
  date: 'date',
  time: 'time',
  'date-time': 'datetime',
};

function definedOf(members: Record<string, unknown>): Partial<Field> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function textShape(property: Record<string, unknown>): Pick<Field, 'type'> & Partial<Field> {
  const { format, minLength, maxLength, pattern, min, max } = property;
  const isSecret = property.secret === true;
  const moment = isSecret ? undefined : momentTypes[String(format)];
  if (moment) return { type: moment, ...definedOf({ min, max }) };
  const isKnownFormat = format === 'email' || format === 'uri';
  return {
    type: isSecret ? 'secret' : property.multiline === true ? 'textarea' : 'text',
    ...(isKnownFormat && { format }),
    ...(typeof minLength === 'number' && { minLength }),
    ...(typeof maxLength === 'number' && { maxLength }),
    ...(typeof pattern === 'string' && !isKnownFormat && patternOf(pattern)),
  };
}

/** A field's pattern matches the whole value, a schema's any part of it. Patterns too long for a field are left to the schema. */
function patternOf(source: string): { pattern: string } | undefined {
  const [, whole] = /^\^([^|]*[^|\\])\$$/.exec(source) ?? []; // with alternatives, each anchor would apply to one of them
  const pattern = whole ?? `[^]*(?:${source})[^]*`;
  return pattern.length <= 256 ? { pattern } : undefined;
}

function countBounds({ minItems, maxItems }: Record<string, unknown>): Partial<Field> {
  return {
    ...(typeof minItems === 'number' && { min: minItems }),
    ...(typeof maxItems === 'number' && { max: maxItems }),
  };
}
