import {
  anchorPattern,
  type FormSchema,
  type FormValues,
  findFormFaults,
  formFromSchema,
  fromFormValues,
  isRecord,
  type Json,
} from '@parleyhq/core';
import type * as z from 'zod';
import type { elicitationSchema } from './elicitation-schema.ts';

type Schema = z.infer<typeof elicitationSchema>;

/** The format of the answer that a caller asks for: options, a schema or a Parley form; a text if none of them is given. */
export interface Answerable {
  readonly options?: readonly { readonly label: string; readonly description?: string | undefined }[] | undefined;
  readonly multiple?: boolean | undefined;
  readonly other?: boolean | undefined;
  readonly schema?: Schema | undefined;
  readonly form?: Record<string, unknown> | undefined;
}

/** With more choices than this, the field is a dropdown instead of radio buttons. */
const maxRadios = 5;

/** Returns the form for a question; `findFaults` must have found no problem with the arguments. */
export function toForm({ options, multiple = false, other = false, schema, form }: Answerable): FormSchema {
  if (form) return form as FormSchema;
  if (schema) return formFromSchema(schema);
  const field = { id: 'answer', label: 'Answer', required: true };
  if (!options) return { type: 'form', fields: [{ ...field, type: 'text' }] };
  const type = multiple ? 'multiselect' : options.length > maxRadios ? 'select' : 'radio';
  const choices = options.map(({ label, ...shown }) => ({ value: label, label, ...shown }));
  return { type: 'form', fields: [{ ...field, type, options: choices, ...(other && { other }) }] };
}

/** Converts the submitted values to the result that the caller gets. */
export function readAnswer({ schema, form }: Answerable, input: FormValues): { answer: Json } | { values: FormValues } {
  if (form) return { values: input };
  if (schema) return { values: { ...unticked(schema), ...fromFormValues(schema, input) } };
  return { answer: readChoice(input.answer) };
}

/** Returns false for every checkbox of the schema: the value of one that nobody touched. */
function unticked({ properties }: Schema): FormValues {
  const boxes = Object.entries(properties).filter(([, { type }]) => type === 'boolean');
  return Object.fromEntries(boxes.map(([name]) => [name, false]));
}

/** Returns the chosen labels, or the text entered for "other". */
function readChoice(value: Json = ''): Json {
  if (Array.isArray(value)) return value.map(readChoice);
  return isRecord(value) ? (value.other as Json) : value;
}

/** Returns the problems with the arguments, each with the argument's name; empty if they make a valid form. */
export function findFaults(args: Answerable): [name: string, fault: string][] {
  const { options, multiple, other, schema, form } = args;
  const kinds = Object.entries({ options, schema, form }).filter(([, kind]) => kind !== undefined);
  if (kinds.length > 1) {
    const [first, second] = kinds.map(([name]) => name) as [string, string];
    return [[second, `does not go with "${first}": give one of "options", "schema" and "form", or none for a text`]];
  }
  if (!options && (multiple || other))
    return [[multiple ? 'multiple' : 'other', 'is about "options": give those, too']];
  if (options && new Set(options.map(({ label }) => label)).size < options.length) {
    return [['options', 'each needs a label of its own, since the answer is the label']];
  }
  if (schema) return findSchemaFaults(schema).map((fault) => ['schema', fault]);
  return form ? [...findFormFaults(form, matches), ...findFiles(form)].map((fault) => ['form', fault]) : [];
}

/** Rejects file fields: callers from outside the server cannot read uploaded files (PLG13). */
function findFiles({ fields }: Record<string, unknown>): string[] {
  const isFile = (field: unknown) => isRecord(field) && field.type === 'file';
  const index = Array.isArray(fields) ? fields.findIndex(isFile) : -1;
  return index < 0 ? [] : [`fields.${index}.type: files cannot be asked for here: a plugin of the server can`];
}

function findSchemaFaults(schema: Schema): string[] {
  const names = Object.keys(schema.properties);
  const missing = schema.required?.filter((name) => !names.includes(name)) ?? [];
  if (missing.length > 0) return missing.map((name) => `"${name}" is required, and there is no such property`);
  try {
    const faults = findFormFaults(formFromSchema(schema), matches);
    return faults.map((fault) => fault.replace(/^fields\.(\d+)/, (_, index) => `properties.${names[index]}`));
  } catch (error) {
    if (error instanceof TypeError) return [error.message];
    throw error;
  }
}

/** Whether a value matches a pattern. A slow pattern cannot hang the server: arguments are checked with a time limit. */
function matches(pattern: string, value: string): boolean {
  return new RegExp(anchorPattern(pattern), 'u').test(value);
}
