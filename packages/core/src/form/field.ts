import * as z from 'zod/mini';
import type { Json } from '../basics/json.ts';
import { jsonValue } from '../basics/json-value.ts';
import { maxFields, maxFileBytes } from '../basics/limits.ts';
import { describeFile, listFiles } from './file.ts';

/** Ids become keys of plain objects, so they start with a letter and must not be a member of `Object.prototype` (INT16). */
const fieldIdPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export function isFieldId(id: string): boolean {
  return fieldIdPattern.test(id) && !(id in Object.prototype);
}

const fieldId = z.string().check(
  z.refine(isFieldId, {
    error: ({ input }) =>
      `${JSON.stringify(input)} is not a field id: a letter, then letters, digits, "_" and "-", at most 64`,
  }),
);

export const fieldTypes = [
  'text',
  'textarea',
  'number',
  'checkbox',
  'select',
  'multiselect',
  'radio',
  'date',
  'time',
  'datetime',
  'secret',
  'file',
] as const;

export type FieldType = (typeof fieldTypes)[number];

/** Limit in characters. */
export const maxPreviewLength = 8 * 1024;

const option = z.object({
  value: z.string(),
  label: z.string(),
  description: z.optional(z.string()),
  /** A preview of the result, such as a draft or a listing: shown verbatim. */
  preview: z.optional(z.string().check(z.maxLength(maxPreviewLength))),
});
export type Option = z.infer<typeof option>;

const bound = z.union([z.number(), z.string()]);

/** Formats of a text field, under the names that browsers and MCP servers use. */
export const textFormats = ['email', 'uri', 'url', 'date', 'date-time'] as const;

/** An entry of `accept` as in HTML: a media type, all types of a kind, or a file extension. */
const acceptPattern = /^(\.[\p{L}\p{N}][\p{L}\p{N}._-]{0,30}|[a-z]+\/(\*|[a-z0-9][a-z0-9.+-]{0,60}))$/iu;
const acceptWords = 'is a media type, as "image/png" or "image/*", or an ending, as ".csv"';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** A condition on an earlier field's value: exactly one of `equals`, `in`, or a range of `min` and `max`. */
const condition = z
  .object({
    field: fieldId,
    equals: z.optional(scalar),
    /** Any of these values. */
    in: z.optional(z.array(scalar).check(z.minLength(1))),
    /** The bounds of a number, date, time or datetime. */
    min: z.optional(bound),
    max: z.optional(bound),
    /** Negates the rest of the condition. */
    not: z.optional(z.literal(true)),
  })
  .check((context) => {
    const { equals, in: list, min, max } = context.value;
    const kinds = [equals, list, min ?? max].filter((kind) => kind !== undefined);
    if (kinds.length === 1) return;
    const message = 'needs one of "equals", "in" and a range of "min" and "max"';
    context.issues.push({ code: 'custom', input: context.value, message });
  });

/** When a field is shown. */
export type Condition = z.infer<typeof condition>;

export const fieldSchema = z.object({
  id: fieldId,
  type: z.enum(fieldTypes),
  label: z.optional(z.string()),
  /** A short chip above the question, as in a stepper. */
  header: z.optional(z.string()),
  description: z.optional(z.string()),
  placeholder: z.optional(z.string()),
  required: z.optional(z.boolean()),
  defaultValue: z.optional(jsonValue),
  options: z.optional(z.array(option)),
  /** Offers a free-text choice in addition to the options; its value is `{other: text}`. */
  other: z.optional(z.boolean()),
  /** Bounds of a number, date, time or datetime, or of the number of choices or files. */
  min: z.optional(bound),
  max: z.optional(bound),
  /** Exclusive bounds of a number. */
  moreThan: z.optional(z.number()),
  lessThan: z.optional(z.number()),
  /** Interval of allowed numbers, counted from `min`, or from 0. */
  step: z.optional(z.number().check(z.positive())),
  minLength: z.optional(z.int().check(z.nonnegative())),
  maxLength: z.optional(z.int().check(z.nonnegative())),
  /** Regular expression that must match the whole value. */
  pattern: z.optional(z.string().check(z.maxLength(256))),
  format: z.optional(z.enum(textFormats)),
  /** Accepted media types and file extensions (PLG13). */
  accept: z.optional(z.array(z.string().check(z.regex(acceptPattern, { error: acceptWords }))).check(z.minLength(1))),
  /** Maximum size of one file in bytes; 10 MiB if absent. */
  maxBytes: z.optional(z.int().check(z.positive(), z.lte(maxFileBytes))),
  /** Accepts several files. */
  multiple: z.optional(z.boolean()),
  /** Condition for showing the field. */
  when: z.optional(condition),
  /** Message for an invalid value, instead of Parley's own. */
  invalidMessage: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
});

export type Field = z.infer<typeof fieldSchema>;

const section = z.object({
  id: fieldId,
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  /** May be left empty as a whole. Once one of its fields is filled in, its required fields apply. */
  optional: z.optional(z.boolean()),
  fields: z.array(fieldId),
});

export type Section = z.infer<typeof section>;

export const formSchema = z
  .object({
    type: z.literal('form'),
    fields: z.array(fieldSchema).check(z.maxLength(maxFields)),
    sections: z.optional(z.array(section)),
    layout: z.optional(z.literal('stepper')),
    submitLabel: z.optional(z.string()),
    cancelLabel: z.optional(z.string()),
  })
  .check((context) => {
    for (const message of findStructureFaults(context.value)) {
      context.issues.push({ code: 'custom', input: context.value, message });
    }
  });

/** The form of a prompt (INT16). */
export type FormSchema = z.infer<typeof formSchema>;

/** What a person filled in, by field id. */
export type FormValues = Readonly<Record<string, Json>>;

const choiceTypes: ReadonlySet<FieldType> = new Set(['select', 'multiselect', 'radio']);

export function isChoice(field: Field): boolean {
  return choiceTypes.has(field.type);
}

/** Describes mistakes of the form's author that the schemas of its parts cannot detect. */
function findStructureFaults(form: { fields: readonly Field[]; sections?: readonly Section[] | undefined }): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (const field of form.fields) {
    if (seen.has(field.id)) faults.push(`field "${field.id}" is listed twice`);
    if (isChoice(field) && !field.options?.length && !field.other) faults.push(`field "${field.id}" needs options`);
    if (field.when && !seen.has(field.when.field)) {
      faults.push(`field "${field.id}" depends on "${field.when.field}", which is not an earlier field`);
    }
    if (field.pattern !== undefined && !isPattern(field.pattern)) {
      faults.push(`the pattern of field "${field.id}" is not a regular expression`);
    }
    seen.add(field.id);
  }
  const placed = new Set<string>();
  for (const { id, fields } of form.sections ?? []) {
    for (const member of fields) {
      if (!seen.has(member)) faults.push(`section "${id}" names "${member}", which is not a field`);
      if (placed.has(member)) faults.push(`field "${member}" is in two sections`);
      placed.add(member);
    }
  }
  return faults;
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u'); // compiled without anchors: `a)|(?:b` would compile between them and escape both
    return true;
  } catch {
    return false; // only the constructor can check a pattern's syntax
  }
}

/** Returns the source of the regular expression (flag `u`) that client and server match a value against. */
export function anchorPattern(pattern: string): string {
  return `^(?:${pattern})$`;
}

/** Whether nothing was filled in. Empty fields are absent, not empty values (INT16). */
export function isEmptyValue(value: Json | undefined): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Returns the fields that are visible with these values. A hidden field also hides those that depend on it. */
export function findVisibleFields(form: FormSchema, values: FormValues): readonly Field[] {
  const visible = new Set<string>();
  return form.fields.filter((field) => {
    const isVisible =
      !field.when || (visible.has(field.when.field) && isMet(field.when, form, values[field.when.field]));
    if (isVisible) visible.add(field.id);
    return isVisible;
  });
}

function isMet(condition: Condition, form: FormSchema, value: Json | undefined): boolean {
  const { field, equals, in: list = equals === undefined ? undefined : [equals], not = false } = condition;
  const isDatetime = form.fields.some(({ id, type }) => id === field && type === 'datetime');
  const isInside = list
    ? list.some((expected) => [value].flat().some((each) => isSameValue(each, expected)))
    : isWithin(condition, value, isDatetime);
  return isInside !== not;
}

/** Whether two values look the same to a person: accents have two encodings (NFC and NFD). */
export function isSameValue(a: Json | undefined, b: Json | undefined): boolean {
  return typeof a === 'string' && typeof b === 'string' ? a.normalize() === b.normalize() : a === b;
}

/**
 * Whether a value is in a range. Dates and times compare as text, except datetimes, which may have different offsets. An empty
 * value is in no range.
 */
function isWithin({ min, max }: Condition, value: Json | undefined, isDatetime: boolean): boolean {
  if ((typeof value !== 'number' && typeof value !== 'string') || value === '') return false;
  const place = (each: string | number) => (isDatetime ? Date.parse(String(each)) : each);
  const isTyped = (each: string | number | undefined) => each === undefined || typeof each === typeof value;
  if (!isTyped(min) || !isTyped(max)) return false;
  return (min === undefined || place(value) >= place(min)) && (max === undefined || place(value) <= place(max));
}

/** Returns the name of a field for a sentence. */
export function labelOf(field: Field): string {
  return field.label ?? field.header ?? field.id;
}

/** Returns a value in the form that people read: choices by label, lists with commas, secrets as dots. */
export function describeValue(field: Field, value: Json | undefined): string {
  if (field.type === 'secret') return '••••';
  if (field.type === 'file') return listFiles(value).map(describeFile).join(', ');
  if (Array.isArray(value)) return value.map((member) => describeChoice(field, member)).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return describeChoice(field, value);
}

function describeChoice(field: Field, value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object' && 'other' in value) return String(value.other);
  return field.options?.find((candidate) => candidate.value === value)?.label ?? String(value);
}

/** A choice that an answered field offered, or what the person wrote instead. */
export interface Choice {
  readonly label: string;
  readonly isChosen: boolean;
}

/**
 * Lists all choices of an answered field, chosen or not, with free text last, so that readers see the alternatives (RPL3). Empty
 * for other fields.
 */
export function listChoices(field: Field, value: Json | undefined): readonly Choice[] {
  if (!isChoice(field) || isEmptyValue(value)) return [];
  const chosen = Array.isArray(value) ? value : [value as Json];
  const options = field.options ?? [];
  const known = new Set<Json>(options.map((candidate) => candidate.value));
  return [
    ...options.map(({ value: offered, label }) => ({ label, isChosen: chosen.includes(offered) })),
    ...chosen
      .filter((member) => !known.has(member))
      .map((member) => ({ label: describeChoice(field, member), isChosen: true })),
  ];
}

/** Placeholder for a secret in everything that is stored or sent (INT17). */
export const redacted = { redacted: true } as const;

/** Returns the values that the log may hold: without empty fields, with secrets redacted. */
export function cleanValues(form: FormSchema, values: FormValues): FormValues {
  const secrets = new Set(form.fields.filter((field) => field.type === 'secret').map((field) => field.id));
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => !isEmptyValue(value))
      .map(([id, value]) => [id, secrets.has(id) ? redacted : value]),
  );
}
