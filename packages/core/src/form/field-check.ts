import { isRecord, type Json } from '../basics/json.ts';
import { limits } from '../basics/limits.ts';
import { type Field, type FormSchema, type FormValues, findVisibleFields, isEmptyValue } from './field.ts';
import { checkFiles } from './file-check.ts';
import { describeNumberFault } from './typed-number.ts';

/** Whether a pattern matches a whole value. Passed in, so that the server can limit its CPU time (SEC6). */
export type Matches = (pattern: string, value: string) => boolean;

export const tooLong = 'Must be at most 64 KiB.';

/** An error message for each invalid field, by field id. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Checks every value by type and constraints, and rejects unknown or hidden fields (INT6). Empty if all is valid. */
export function checkValues(form: FormSchema, values: FormValues, matches: Matches): FieldErrors {
  return check(form, values, (field, value) =>
    isEmptyValue(value) ? checkAbsence(form, field, values) : checkValue(field, value as Json, matches),
  );
}

/** Checks the given values like `checkValues`, but does not require missing ones. */
export function checkGiven(form: FormSchema, values: FormValues, matches: Matches): FieldErrors {
  return check(form, values, (field, value) =>
    isEmptyValue(value) ? undefined : checkValue(field, value as Json, matches),
  );
}

/** Returns the valid values, for a button that keeps input (PLG11). Drops invalid ones, and then those that depended on them. */
export function pickFitting(form: FormSchema, values: FormValues, matches: Matches): FormValues {
  let fitting = values;
  for (;;) {
    const faults = checkGiven(form, fitting, matches);
    const kept = Object.entries(fitting).filter(([id]) => !Object.hasOwn(faults, id));
    if (kept.length === Object.keys(fitting).length) return fitting;
    fitting = Object.fromEntries(kept);
  }
}

function check(
  form: FormSchema,
  values: FormValues,
  judge: (field: Field, value: Json | undefined) => string | undefined,
): FieldErrors {
  const errors = new Map<string, string>(); // not an object: a value may have any name, even `__proto__`
  const visible = findVisibleFields(form, values);
  const known = new Set(visible.map((field) => field.id));
  for (const id of Object.keys(values)) {
    if (known.has(id)) continue;
    errors.set(id, form.fields.some((field) => field.id === id) ? 'Not asked for now.' : 'Unknown field.');
  }
  for (const field of visible) {
    const value = Object.hasOwn(values, field.id) ? values[field.id] : undefined;
    const error = judge(field, value);
    if (error) errors.set(field.id, isEmptyValue(value) ? error : (field.invalidMessage ?? error));
  }
  return Object.fromEntries(errors);
}

function checkAbsence(form: FormSchema, field: Field, values: FormValues): string | undefined {
  if (!field.required) return undefined;
  const section = form.sections?.find((candidate) => candidate.fields.includes(field.id));
  const isSkipped = section?.optional && section.fields.every((id) => isEmptyValue(values[id]));
  return isSkipped ? undefined : 'Required.';
}

function checkValue(field: Field, value: Json, matches: Matches): string | undefined {
  if (isTooLong(value)) return tooLong;
  switch (field.type) {
    case 'text':
    case 'textarea':
    case 'secret':
      return typeof value === 'string' ? checkText(field, value, matches) : 'Must be a text.';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
        ? checkNumber(field, value)
        : describeNumberFault(value);
    case 'checkbox':
      if (typeof value !== 'boolean') return 'Must be true or false.';
      return field.required && !value ? 'Must be ticked.' : undefined;
    case 'select':
    case 'radio':
      return checkChoice(field, value, { values: valuesOf(field), matches });
    case 'multiselect':
      return Array.isArray(value) ? checkChoices(field, value, matches) : 'Must be a list of choices.';
    case 'date':
      return isDate(value) ? checkOrder(field, value) : 'Must be a date, as in 2026-03-31.';
    case 'time':
      return isTime(value) ? checkOrder(field, value) : 'Must be a time, as in 09:30.';
    case 'datetime':
      return isDateTime(value) ? checkOrder(field, value, Date.parse) : 'Must be a date and time with its offset.';
    case 'file':
      return checkFiles(field, value);
    default:
      return field.type satisfies never;
  }
}

export function isTooLong(value: Json): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length * 3 > limits.valueBytes && new TextEncoder().encode(text).length > limits.valueBytes;
}

function checkText(field: Field, value: string, matches: Matches): string | undefined {
  if (field.minLength !== undefined && value.length < field.minLength) {
    return `Must have at least ${countCharacters(field.minLength)}.`;
  }
  if (field.maxLength !== undefined && value.length > field.maxLength) {
    return `Must have at most ${countCharacters(field.maxLength)}.`;
  }
  if (field.format && !fitsFormat(field.format, value)) return formatSentences[field.format];
  if (field.pattern !== undefined && !fitsPattern(field.pattern, value, matches))
    return 'Does not have the expected form.';
  return undefined;
}

/** Also tries the NFC form, because the pattern may use either encoding of accents and people cannot choose what they type. */
function fitsPattern(pattern: string, value: string, matches: Matches): boolean {
  return [...new Set([value, value.normalize()])].some((each) => matches(pattern, each));
}

function countCharacters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

const formatSentences = {
  email: 'Must be an email address.',
  uri: 'Must be a full address, as in https://example.org.',
  url: 'Must be a full address, as in https://example.org.',
  date: 'Must be a date, as in 2026-03-31.',
  'date-time': 'Must be a date and time with its offset.',
} as const;

function fitsFormat(format: NonNullable<Field['format']>, value: string): boolean {
  switch (format) {
    case 'email':
      return /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/u.test(value);
    case 'uri':
    case 'url':
      return URL.canParse(value);
    case 'date':
      return isDate(value);
    case 'date-time':
      return isDateTime(value);
    default:
      return format satisfies never;
  }
}

function checkNumber(field: Field, value: number): string | undefined {
  const { min, max, moreThan, lessThan, step } = field;
  if (typeof min === 'number' && value < min) return `Must be at least ${min}.`;
  if (typeof max === 'number' && value > max) return `Must be at most ${max}.`;
  if (moreThan !== undefined && value <= moreThan) return `Must be more than ${moreThan}.`;
  if (lessThan !== undefined && value >= lessThan) return `Must be less than ${lessThan}.`;
  if (step === undefined) return undefined;
  return isOnStep(value, typeof min === 'number' ? min : 0, step) ? undefined : `Must go in steps of ${step}.`;
}

/** Whole numbers are exact; others get a tolerance for binary fractions: 0.3 / 0.1 is not 3. */
function isOnStep(value: number, start: number, step: number): boolean {
  if (Number.isInteger(start) && Number.isInteger(step)) return Number.isInteger(value) && (value - start) % step === 0;
  const steps = (value - start) / step;
  const tolerance = (4 * Number.EPSILON * (Math.abs(value) + Math.abs(start))) / step;
  return Math.abs(steps - Math.round(steps)) <= Math.max(tolerance, 4 * Number.EPSILON);
}

interface ChoiceCheck {
  readonly values: ReadonlySet<string>;
  readonly matches: Matches;
}

function valuesOf({ options = [] }: Field): ReadonlySet<string> {
  return new Set(options.map(({ value }) => value));
}

function checkChoice(field: Field, value: Json, { values, matches }: ChoiceCheck): string | undefined {
  if (typeof value === 'string' && values.has(value)) return undefined;
  if (field.other && isRecord(value) && value.other === '') return 'Say which.';
  if (isFreeChoice(value)) return field.other ? checkText(field, value.other, matches) : 'Must be one of the choices.';
  return 'Must be one of the choices.';
}

function checkChoices(field: Field, values: readonly Json[], matches: Matches): string | undefined {
  const check = { values: valuesOf(field), matches }; // built once, because both lists may be long
  for (const value of values) {
    const error = checkChoice(field, value, check);
    if (error) return error;
  }
  const distinct = new Set(values.map((value) => (isFreeChoice(value) ? '' : value)));
  if (distinct.size !== values.length) return 'Each choice counts once.';
  if (typeof field.min === 'number' && values.length < field.min) return `Choose at least ${field.min}.`;
  if (typeof field.max === 'number' && values.length > field.max) return `Choose at most ${field.max}.`;
  return undefined;
}

function isFreeChoice(value: Json): value is { other: string } {
  return isRecord(value) && Object.keys(value).length === 1 && typeof value.other === 'string' && value.other !== '';
}

function checkOrder(field: Field, value: string, rank: (text: string) => string | number = String): string | undefined {
  if (typeof field.min === 'string' && rank(value) < rank(field.min)) return `Must not be before ${field.min}.`;
  if (typeof field.max === 'string' && rank(value) > rank(field.max)) return `Must not be after ${field.max}.`;
  return undefined;
}

function isDate(value: Json): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return false;
  const instant = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(value); // 2026-02-30 rolls over
}

function isTime(value: Json): value is string {
  return typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value);
}

const dateTimePattern =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

export function isDateTime(value: Json): value is string {
  if (typeof value !== 'string') return false;
  const [, date] = dateTimePattern.exec(value) ?? [];
  return date !== undefined && isDate(date);
}
