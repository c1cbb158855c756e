import { type Field, type FormSchema, type FormValues, isRecord, type Json, labelOf, showHidden } from '@parleyhq/core';
import type { ElicitationPropertySchema, ElicitationSchema } from '../sdk.ts';

/** A form of Parley as an editor shows it, and the way back. */
export interface EditorForm {
  readonly schema: ElicitationSchema;
  /** Returns the values for the server, which checks them. */
  read(content: unknown): FormValues;
}

/** Returns a form for an editor; undefined if an editor could only show a part of what it asks. */
export function toEditorForm(form: FormSchema, initial: FormValues = {}): EditorForm | undefined {
  const ids = new Set(form.fields.map(({ id }) => id));
  if (form.fields.some((field) => !isPlain(field) || (field.other && ids.has(nameOther(field))))) return undefined;
  const optional = new Set(form.sections?.filter((section) => section.optional).flatMap(({ fields }) => fields));
  const properties = form.fields.flatMap((field) => toProperties(field, initial[field.id] ?? field.defaultValue));
  const required = form.fields.filter(({ id, required, other }) => required && !other && !optional.has(id));
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: required.map(({ id }) => id),
    },
    read: (content) => readValues(form, isRecord(content) ? content : {}),
  };
}

/** Whether an editor can ask for the field whole: it has neither secrets nor files, conditions nor previews. */
function isPlain({ type, when, options }: Field): boolean {
  return type !== 'secret' && type !== 'file' && !when && !options?.some(({ preview }) => preview !== undefined);
}

/** Name of the property for a free-text choice. */
const nameOther = ({ id }: Field) => `${id}_other`;

type Named = readonly [name: string, property: ElicitationPropertySchema];

function toProperties(field: Field, value: Json | undefined): Named[] {
  const own: Named = [field.id, toProperty(field, value)];
  if (!field.other) return [own];
  return [own, [nameOther(field), { type: 'string', title: `${showHidden(labelOf(field))}: another answer` }]];
}

function toProperty(field: Field, value: Json | undefined): ElicitationPropertySchema {
  const { type, description } = field;
  const about = {
    title: showHidden(labelOf(field)),
    ...(description !== undefined && { description: showHidden(description) }),
  };
  const choices = (field.options ?? []).map(({ value: id, label, description: words }) => ({
    const: id,
    title: showHidden(label),
    ...(words !== undefined && { description: showHidden(words) }),
  }));
  const text = typeof value === 'string' ? { default: value } : {};
  switch (type) {
    case 'number':
      return { type: 'number', ...about, ...toRange(field), ...(typeof value === 'number' && { default: value }) };
    case 'checkbox':
      return { type: 'boolean', ...about, ...(typeof value === 'boolean' && { default: value }) };
    case 'select':
    case 'radio':
      return { type: 'string', ...about, oneOf: choices, ...text };
    case 'multiselect': {
      const chosen = Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
      const some = chosen.length > 0 && { default: chosen };
      return { type: 'array', ...about, items: { anyOf: choices }, ...toCount(field), ...some };
    }
    case 'date':
      return { type: 'string', ...about, format: 'date', ...text };
    case 'datetime':
      return { type: 'string', ...about, format: 'date-time', ...text };
    case 'time':
      return { type: 'string', ...about, pattern: '^([01]\\d|2[0-3]):[0-5]\\d$', ...text };
    case 'text':
    case 'textarea':
      return { type: 'string', ...about, ...toLength(field), ...text };
    case 'secret':
    case 'file':
      throw new TypeError(`a field of type ${type} is not for editors`); // `isPlain` has said so
    default:
      return type satisfies never;
  }
}

/** Bounds that an editor does not know, such as a step, are checked by the server alone. */
function toRange({ min, max }: Field) {
  return { ...(typeof min === 'number' && { minimum: min }), ...(typeof max === 'number' && { maximum: max }) };
}

function toCount({ min, max, required, other }: Field) {
  if (other) return {};
  const least = typeof min === 'number' ? min : required ? 1 : undefined;
  return { ...(least !== undefined && { minItems: least }), ...(typeof max === 'number' && { maxItems: max }) };
}

function toLength({ minLength, maxLength, required, pattern, format }: Field) {
  const least = minLength ?? (required ? 1 : undefined);
  const known = format === 'email' ? 'email' : format === 'uri' || format === 'url' ? 'uri' : undefined;
  return {
    ...(least !== undefined && { minLength: least }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }),
    ...(known && { format: known }),
  } as const;
}

function readValues(form: FormSchema, content: Readonly<Record<string, unknown>>): FormValues {
  const values = form.fields.map((field) => [field.id, readValue(field, content)] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** Reads a value, which the server checks; an empty one is absent. */
function readValue(field: Field, content: Readonly<Record<string, unknown>>): Json | undefined {
  const value = Object.hasOwn(content, field.id) ? (content[field.id] as Json) : undefined;
  const words = field.other ? content[nameOther(field)] : undefined;
  if (typeof words === 'string' && words !== '') {
    const other = { other: words };
    return field.type === 'multiselect' ? [...(Array.isArray(value) ? value : []), other] : other;
  }
  return value === null || value === '' ? undefined : value;
}
