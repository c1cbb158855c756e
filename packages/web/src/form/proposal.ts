import { canonicalise, type Field, type FormSchema, type FormValues, type Json } from '@parleyhq/core';
import type { FormInput } from '../browser/draft-store.ts';
import { startInput } from './form-values.ts';

/**
 * Returns the changes that a view proposes, in the form the controls use: only for fields of the form that are not secret, only
 * values of their type, and only if they differ from the current ones. Whether a value is valid is checked on submit.
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
