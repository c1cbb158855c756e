import { fromLocalInput, isSkippedTime, skippedTime } from '@parleyhq/client';
import {
  anchorPattern,
  completeValues,
  type Field,
  type FieldErrors,
  type FormSchema,
  type FormValues,
  findVisibleFields,
  isEmptyValue,
  isRecord,
  type Json,
  type Matches,
  readNumber,
} from '@parleyhq/core';
import type { FormInput } from '../browser/draft-store.ts';

export const matchPattern: Matches = (pattern, value) => new RegExp(anchorPattern(pattern), 'u').test(value);

/** Returns the initial contents of the controls. */
export function startInput(form: FormSchema, initialValues: FormValues = {}): FormInput {
  const entries = form.fields.map((field) => {
    const given = Object.hasOwn(initialValues, field.id) ? initialValues[field.id] : field.defaultValue;
    return [field.id, given === undefined ? undefined : toInput(field, given)] as const;
  });
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function toInput(field: Field, value: Json): Json | undefined {
  if (isRecord(value) && value.redacted === true) return undefined;
  return field.type === 'number' ? String(value) : value;
}

/** Returns the answer in the controls: visible fields only, without empty ones (INT16). */
export function readInput(form: FormSchema, input: FormInput): FormValues {
  const values: Record<string, Json> = {};
  for (const field of form.fields) {
    const value = Object.hasOwn(input, field.id) ? readField(field, input[field.id]) : undefined;
    if (value !== undefined && !isEmptyValue(value)) values[field.id] = value;
  }
  const filled = completeValues(form, values);
  const visible = new Set(findVisibleFields(form, filled).map((field) => field.id));
  return Object.fromEntries(Object.entries(filled).filter(([id]) => visible.has(id)));
}

function readField(field: Field, input: Json | undefined): Json | undefined {
  if (input === undefined) return undefined;
  if (typeof input !== 'string') return input;
  if (field.type === 'datetime') return fromLocalInput(input);
  if (field.type === 'number') return readNumber(input);
  return input;
}

/** Returns errors of the typed text that the values do not show. `values` are those read from the controls. */
export function findTypedFaults({ fields }: FormSchema, values: FormValues): FieldErrors {
  const skipped = fields.filter(({ id, type }) => type === 'datetime' && isSkippedTime(String(values[id])));
  return Object.fromEntries(skipped.map(({ id }) => [id, skippedTime]));
}

/** Returns the errors of all fields in the order of the form; if a field has several, the last one counts. */
export function joinFaults({ fields }: FormSchema, ...found: readonly (FieldErrors | undefined)[]): FieldErrors {
  const faults: FieldErrors = Object.assign({}, ...found);
  const order = new Set([...fields.map(({ id }) => id), ...Object.keys(faults)]);
  return Object.fromEntries(
    [...order].flatMap((id) => (Object.hasOwn(faults, id) ? [[id, faults[id] as string]] : [])),
  );
}

/** Returns what may be stored or relayed while it is being typed: no secrets (INT17). */
export function withoutSecrets(form: FormSchema, input: FormInput): FormInput {
  const secrets = new Set(form.fields.filter(({ type }) => type === 'secret').map(({ id }) => id));
  return Object.fromEntries(Object.entries(input).filter(([id]) => !secrets.has(id)));
}

/** A part of the form: a section, or one question of a stepper. */
export interface FormStep {
  readonly id: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly isOptional: boolean;
  readonly fields: readonly Field[];
}

/**
 * Whether an optional part is left out: it is skipped while it is empty, even if it has required fields. `values` are those read
 * from the controls.
 */
export const isSkipped = ({ isOptional, fields }: FormStep, values: FormValues): boolean =>
  isOptional && fields.every(({ id }) => isEmptyValue(values[id]));

/** Returns all questions as one part. */
export function wholeOf({ fields }: FormSchema): FormStep {
  return { id: 'all', title: undefined, description: undefined, isOptional: false, fields };
}

/**
 * Returns the sections in their order, with the fields outside of any section together; a stepper without sections has one step
 * per field.
 */
export function findSteps(form: FormSchema, input: FormInput): readonly FormStep[] {
  const visible = findVisibleFields(form, { ...input, ...readInput(form, input) });
  const steps: { id: string; title?: string; description?: string; isOptional: boolean; fields: Field[] }[] = [];
  for (const field of visible) {
    const section = form.sections?.find(({ fields }) => fields.includes(field.id));
    const isAlone = !section && form.layout === 'stepper' && !form.sections;
    const id = section?.id ?? (isAlone ? `field:${field.id}` : 'rest');
    const known = steps.find((step) => step.id === id);
    if (known) known.fields.push(field);
    else {
      const { title, description, optional = false } = section ?? {};
      steps.push({
        id,
        ...(title && { title }),
        ...(description && { description }),
        isOptional: optional,
        fields: [field],
      });
    }
  }
  return steps.map(({ title, description, ...step }) => ({ ...step, title, description }));
}
