import { type Field, type FormSchema, isRecord, type Json, labelOf, type Option } from '@parleyhq/core';

/** How long an answer by a single click can be undone, in ms. */
export const takeBackMs = 2000;

/** Returns the choice that a form consists of, if its other fields are only for notes: making the choice answers the form. */
export function findOnlyChoice({ fields }: FormSchema): Field | undefined {
  const [only, ...others] = fields;
  if (!fields.every(isRecord)) return undefined; // a log may contain what no server would store (WEB4)
  if (!only?.required || !(only.type === 'radio' || isShortList(only))) return undefined;
  return others.every(isNote) ? only : undefined;
}

/** Lists up to this length are shown as rows if they are the only choice, so that nothing has to be opened first. */
const mostRows = 6;

const isShortList = ({ type, options = [] }: Field): boolean => type === 'select' && options.length <= mostRows;

const drawn = new WeakMap<FormSchema, FormSchema>();

/**
 * Returns the form as it is rendered: its only choice as rows, even if the tool asked for a list. The same object for the same
 * form.
 */
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

/** Whether the label of the choice only repeats what the card asks. */
export function isSaid(only: Field, heading: string): boolean {
  const label = labelOf(only);
  return label === heading || !label.trimEnd().endsWith('?');
}

/** Whether a field's label equals the card's heading, apart from punctuation at the end. */
export function isRepeated(field: Field, heading: string): boolean {
  const normalise = (words: string) =>
    words
      .toLowerCase()
      .replace(/[\s.:?!*…]+$/u, '')
      .trim();
  return normalise(labelOf(field)) === normalise(heading);
}

const wordTypes: ReadonlySet<string> = new Set(['text', 'textarea', 'radio', 'select', 'multiselect']);

/** Returns the field that words alone could answer: a text field or a choice, with nothing else but notes. */
export function findWordsField(form: FormSchema): Field | undefined {
  if (form.layout || !form.fields.every(isRecord)) return undefined;
  const [first, ...others] = form.fields;
  if (!first || first.when || !others.every(isNote)) return undefined;
  return wordTypes.has(first.type) ? first : undefined;
}

/**
 * Returns the value that words give a field: a choice takes the label or the number of an option, several with commas between
 * them, and otherwise free text. Undefined if nothing is offered under these words.
 */
export function fromWords(field: Field, words: string): Json | undefined {
  if (field.type === 'text' || field.type === 'textarea') return words;
  const isMany = field.type === 'multiselect';
  const one = findOption(field, words);
  if (one) return isMany ? [one.value] : one.value;
  const many = isMany ? words.split(',').map((part) => findOption(field, part)) : [undefined];
  const chosen = many.flatMap((option) => (option ? [option.value] : []));
  if (chosen.length === many.length) return [...new Set(chosen)];
  if (!field.other) return undefined;
  return isMany ? [{ other: words }] : { other: words };
}

/** Returns the option with this label, or else the one with this number, counted from 1 as on its card. */
function findOption({ options = [] }: Field, words: string): Option | undefined {
  const normalise = (text: string) => readLabel(text).words.trim().toLowerCase();
  const meant = normalise(words);
  return (
    options.find(({ label }) => normalise(label) === meant) ??
    (/^\d+$/.test(meant) ? options[Number(meant) - 1] : undefined)
  );
}

/** Whether a value is one of the options rather than free text. */
export const isOption = (value: Json | undefined): boolean => value !== undefined && !isRecord(value);

const recommendedMark = /\s*\(recommended\)\s*$/i;

/** Splits an option's label from the mark "(recommended)" that models write into it. */
export function readLabel(label: string): { readonly words: string; readonly isRecommended: boolean } {
  const words = label.replace(recommendedMark, '');
  return words === '' ? { words: label, isRecommended: false } : { words, isRecommended: words !== label };
}
