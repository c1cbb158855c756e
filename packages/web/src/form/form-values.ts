import { fromLocalInput, toLocalInput } from '@parleyhq/client';
import {
  anchorPattern,
  type Field,
  type FormSchema,
  type FormValues,
  findVisibleFields,
  isEmptyValue,
  isRecord,
  type Json,
  type Matches,
  readNumber,
} from '@parleyhq/core';

/** What the controls hold, by field id: numbers as typed, date-times in local time. */
export type FormInput = Readonly<Record<string, Json>>;

export const matchPattern: Matches = (pattern, value) => new RegExp(anchorPattern(pattern), 'u').test(value);

/** The initial contents of the controls. */
export function startInput(form: FormSchema, initialValues: FormValues = {}): FormInput {
  const entries = form.fields.map((field) => {
    const given = Object.hasOwn(initialValues, field.id) ? initialValues[field.id] : field.defaultValue;
    return [field.id, given === undefined ? undefined : toInput(field, given)] as const;
  });
  return Object.fromEntries(entries.filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function toInput(field: Field, value: Json): Json | undefined {
  if (isRecord(value) && value.redacted === true) return undefined;
  if (field.type === 'number') return String(value);
  if (field.type === 'datetime') return typeof value === 'string' ? toLocalInput(value) : undefined;
  return value;
}

/** The answer that the controls hold: visible fields only, without empty ones (INT16). */
export function readInput(form: FormSchema, input: FormInput): FormValues {
  const values: Record<string, Json> = {};
  for (const field of form.fields) {
    const value = Object.hasOwn(input, field.id) ? readField(field, input[field.id]) : undefined;
    if (value !== undefined && !isEmptyValue(value)) values[field.id] = value;
  }
  fillCheckboxes(form, values);
  const visible = new Set(findVisibleFields(form, values).map((field) => field.id));
  return Object.fromEntries(Object.entries(values).filter(([id]) => visible.has(id)));
}

function readField(field: Field, input: Json | undefined): Json | undefined {
  if (input === undefined) return undefined;
  if (field.type === 'datetime') return typeof input === 'string' && input !== '' ? fromLocalInput(input) : undefined;
  if (field.type !== 'number' || typeof input !== 'string') return input;
  return readNumber(input);
}

/** An unticked checkbox means false, except in an optional section that is otherwise empty: there it is absent. */
function fillCheckboxes(form: FormSchema, values: Record<string, Json>): void {
  for (const { id, type } of form.fields) {
    if (type !== 'checkbox') continue;
    const section = form.sections?.find(({ fields }) => fields.includes(id));
    const isSkipped =
      section?.optional && section.fields.every((other) => isEmptyValue(values[other]) || values[other] === false);
    if (isSkipped) delete values[id];
    else values[id] ??= false;
  }
}

/** What may be stored or relayed while it is being typed: no secrets (INT17). */
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

/** Whether the part is left out: of an optional one nothing is required until something of it is there. `values` as read from the controls. */
export const isSkipped = ({ isOptional, fields }: FormStep, values: FormValues): boolean =>
  isOptional && fields.every(({ id }) => isEmptyValue(values[id]));

/** All questions as one part. */
export function wholeOf({ fields }: FormSchema): FormStep {
  return { id: 'all', title: undefined, description: undefined, isOptional: false, fields };
}

/** Sections in their order, with fields outside of any section together; a stepper without sections has one step per field. */
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
