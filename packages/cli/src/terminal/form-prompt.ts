import {
  checkValues,
  type Field,
  type FieldErrors,
  type FileReference,
  type FormSchema,
  type FormValues,
  findVisibleFields,
  isEmptyValue,
  isRecord,
  type Json,
  labelOf,
  type Section,
} from '@parleyhq/core';
import { askField } from './field-prompt.ts';
import type { Prompts } from './prompts.ts';

/** Accepts any text: only the server runs untrusted patterns, with a time limit, and reports what does not match (SEC6). */
const matches = () => true;

export interface FormStart {
  readonly values: FormValues;
  /** Problems of these values; if there are any, only their fields are asked again. */
  readonly faults: FieldErrors;
  /** Uploads a local file for a field (PLG13). */
  give(field: Field, path: string): Promise<FileReference>;
  /** Prints a section's title and description, or a problem. */
  say(text: string): void;
}

/** Asks the fields of a form, section by section; earlier answers decide whether a field is shown. @throws LeftError */
export async function askForm(form: FormSchema, start: FormStart, prompts: Prompts): Promise<FormValues> {
  const { values, faults, say, give } = start;
  const isAgain = Object.keys(faults).length > 0;
  const asked = new Set<string>();
  const skipped = new Set<Section>();
  let filled: FormValues = {};
  let section: Section | undefined;
  for (;;) {
    const field = findNext(form, filled, asked);
    if (!field) return filled;
    const { id } = field;
    asked.add(id);
    if (isAgain && !Object.hasOwn(faults, id)) {
      filled = fill(filled, id, values[id]);
      continue;
    }
    const own = sectionOf(form, id);
    if (own && own !== section && !(await isEntered(own, start, prompts))) skipped.add(own);
    section = own;
    if (own && skipped.has(own)) continue;
    if (Object.hasOwn(faults, id)) say(`${labelOf(field)}: ${faults[id]}`);
    const check = (typed: Json) => checkValues(form, { ...filled, [id]: typed }, matches)[id];
    const question = { field, initial: initialOf(field, values), check, give: (path: string) => give(field, path) };
    filled = fill(filled, id, await askField(question, prompts));
  }
}

/** Returns the next visible field; fields without a section come first. */
function findNext(form: FormSchema, filled: FormValues, asked: ReadonlySet<string>): Field | undefined {
  const order = form.sections?.flatMap(({ fields }) => fields) ?? [];
  return findVisibleFields(form, filled)
    .filter(({ id }) => !asked.has(id))
    .sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id))[0];
}

function sectionOf(form: FormSchema, id: string): Section | undefined {
  return form.sections?.find(({ fields }) => fields.includes(id));
}

/** Prints the section's heading, and asks whether to fill in an optional section. */
async function isEntered(section: Section, { values, say }: FormStart, prompts: Prompts): Promise<boolean> {
  const { id, title = id, description, optional, fields } = section;
  say(description === undefined ? title : `${title}\n${description}`);
  const isFilled = fields.some((field) => !isEmptyValue(values[field]));
  return !optional || prompts.askYesNo(`Fill in "${title}"?`, isFilled);
}

/** The field's earlier value or default; a secret must be typed again. */
export function initialOf({ id, defaultValue }: Field, values: FormValues): Json | undefined {
  const initial = values[id] ?? defaultValue;
  return isRecord(initial) && initial.redacted === true ? undefined : initial;
}

function fill(filled: FormValues, id: string, value: Json | undefined): FormValues {
  return isEmptyValue(value) ? filled : { ...filled, [id]: value as Json };
}
