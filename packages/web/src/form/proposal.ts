import { canonicalise, type Field, type FormSchema, type FormValues, type Json } from '@parleyhq/core';
import type { FormInput } from '../browser/draft-store.ts';
import { startInput } from './form-values.ts';

/**
 * What a view proposes, as the controls would hold it: only for fields of the form that are no secret, only values of their kind, and
 * only what is another than is there. Whether a value fits is checked when somebody submits it.
 */
export function readProposal(form: FormSchema, proposed: FormValues, now: FormInput): FormInput {
  const fields = form.fields.filter((field) => {
    const value = Object.hasOwn(proposed, field.id) ? proposed[field.id] : undefined;
    return value !== undefined && isOfKind(field, value);
  });
  const input = startInput({ ...form, fields }, proposed);
  const isOther = ([id, value]: [string, Json]) => canonicalise(value) !== canonicalise(now[id] ?? null);
  return Object.fromEntries(Object.entries(input).filter(isOther));
}

function isOfKind({ type }: Field, value: Json): boolean {
  switch (type) {
    case 'secret':
    case 'file':
      return false;
    case 'checkbox':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number';
    case 'multiselect':
      return Array.isArray(value) && value.every((each) => typeof each === 'string');
    default:
      return typeof value === 'string';
  }
}
