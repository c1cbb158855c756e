import { type Field, type FormSchema, isRecord, type Json, labelOf } from '@parleyhq/core';

/** How long an answer that one press gave can be taken back, in ms. */
export const takeBackMs = 2000;

/** The one choice that a form is about, if it asks for nothing else but notes: made, it is the answer. */
export function findOnlyChoice({ fields }: FormSchema): Field | undefined {
  const [only, ...others] = fields;
  if (!fields.every(isRecord)) return undefined; // a log may hold what no server would store (WEB4)
  if (!only?.required || !(only.type === 'radio' || isShortList(only))) return undefined;
  return others.every(isNote) ? only : undefined;
}

/** A list of so few options is shown as rows where it is the only choice: nothing has to be opened first. */
const mostRows = 6;

const isShortList = ({ type, options = [] }: Field): boolean => type === 'select' && options.length <= mostRows;

const drawn = new WeakMap<FormSchema, FormSchema>();

/** The form as it is drawn: its only choice in rows, also where the tool asked for a list. The same object for the same form. */
export function toDrawn(form: FormSchema): FormSchema {
  const only = findOnlyChoice(form);
  if (only?.type !== 'select') return form;
  const known = drawn.get(form);
  if (known) return known;
  const fields = form.fields.map((field) => (field === only ? { ...field, type: 'radio' as const } : field));
  const rows = { ...form, fields };
  drawn.set(form, rows);
  return rows;
}

const isNote = ({ type, required, when }: Field): boolean =>
  (type === 'text' || type === 'textarea') && !required && !when;

/** Whether the words of the choice only repeat what the card asks. */
export function isSaid(only: Field, heading: string): boolean {
  const label = labelOf(only);
  return label === heading || !label.trimEnd().endsWith('?');
}

/** Whether the words of a field are those of the card, but for their end. */
export function isRepeated(field: Field, heading: string): boolean {
  const normalise = (words: string) =>
    words
      .toLowerCase()
      .replace(/[\s.:?!*…]+$/u, '')
      .trim();
  return normalise(labelOf(field)) === normalise(heading);
}

/** The field that a text alone would answer: free text beside options, or plain text, with nothing else but notes. */
export function findTextField(form: FormSchema): Field | undefined {
  if (form.layout || !form.fields.every(isRecord)) return undefined;
  const [first, ...others] = form.fields;
  if (!first || first.when || !others.every(isNote)) return undefined;
  return first.other || first.type === 'text' || first.type === 'textarea' ? first : undefined;
}

/** The value of a field whose answer is this text. */
export function fromText({ type, other }: Field, text: string): Json {
  if (!other) return text;
  return type === 'multiselect' ? [{ other: text }] : { other: text };
}

/** Whether an option was chosen, and not words of one's own. */
export const isOption = (value: Json | undefined): boolean => value !== undefined && !isRecord(value);

const recommendedMark = /\s*\(recommended\)\s*$/i;

/** An option's words, and whether they say that it is recommended, as models write it. */
export function readLabel(label: string): { readonly words: string; readonly isRecommended: boolean } {
  const words = label.replace(recommendedMark, '');
  return words === '' ? { words: label, isRecommended: false } : { words, isRecommended: words !== label };
}
