import { describeValue, type Field, type FormValues, isEmptyValue, labelOf, type Option } from '@parleyhq/core';
import { initialOf } from '../terminal/form-prompt.ts';

/**
 * Describes a field of a form for `--input`: its id, what may be chosen, and the value that a page would start with. That value is
 * only a suggestion, because a form without it leaves the field empty.
 */
export function showField(field: Field, initialValues: FormValues = {}): string {
  const { id, type, required, description, options = [], other } = field;
  const facts = [type, ...(required ? [] : ['optional']), ...describeInitial(field, initialValues)];
  const offered = options.map(describeOption);
  const choices = other ? [...offered, '{"other": "…"} = something else'] : offered;
  const isShort = options.every((option) => (option.description ?? option.preview) === undefined);
  const head = `  ${id} (${facts.join(', ')}) ${labelOf(field)}`;
  const details = description === undefined ? [] : [indent(description, 4)];
  if (isShort && choices.length > 0) return [`${head}: ${choices.join(', ')}`, ...details].join('\n');
  return [head, ...details, ...choices.map((choice) => indent(choice, 4))].join('\n');
}

/** Describes the value that the field starts with, in the form that `--input` takes. */
function describeInitial(field: Field, initialValues: FormValues): string[] {
  const value = field.type === 'secret' ? undefined : initialOf(field, initialValues);
  if (isEmptyValue(value)) return [];
  return [`suggested: ${field.type === 'file' ? describeValue(field, value) : JSON.stringify(value)}`];
}

function describeOption({ value, label, description, preview }: Option): string {
  const name = label === value ? value : `${value} = ${label}`;
  const head = description === undefined ? name : `${name}: ${description}`;
  return preview === undefined ? head : `${head}\n${indent(preview, 2)}`;
}

function indent(text: string, columns: number): string {
  const margin = ' '.repeat(columns);
  return text.replace(/^(?=.)/gm, margin);
}
