import type { Json } from '../basics/json.ts';
import { type Field, type FormSchema, type FormValues, findVisibleFields, isChoice, isEmptyValue } from './field.ts';

/**
 * Completes the values of a submitted form in the same way for every client (INT16). A visible checkbox that was left out is
 * `false`, unless its optional section is otherwise empty; a choice gets the spelling of its option. Free text is unchanged.
 */
export function completeValues(form: FormSchema, given: FormValues): FormValues {
  const values = new Map(Object.entries(given)); // a value may have any name, even `__proto__`
  const isUnset = (id: string) => isEmptyValue(values.get(id)) || values.get(id) === false;
  for (const field of form.fields) {
    const { id, type } = field;
    const value = values.get(id);
    if (isChoice(field) && value !== undefined) values.set(id, writeChoice(field, value));
    if (type !== 'checkbox') continue;
    const section = form.sections?.find(({ fields }) => fields.includes(id));
    if (section?.optional && section.fields.every(isUnset)) values.delete(id);
    else if (value === undefined) values.set(id, false);
  }
  const completed = Object.fromEntries(values);
  const visible = new Set(findVisibleFields(form, completed).map(({ id }) => id));
  const isKept = (id: string) => visible.has(id) || Object.hasOwn(given, id); // hidden values are kept for the check to reject
  return Object.fromEntries(Object.entries(completed).filter(([id]) => isKept(id)));
}

function writeChoice({ options = [] }: Field, given: Json): Json {
  const exact = new Set<Json>(options.map(({ value }) => value)); // built once, because both lists may be long
  const composed = new Map(options.map(({ value }) => [value.normalize(), value]));
  const write = (value: Json): Json =>
    typeof value !== 'string' || exact.has(value) ? value : (composed.get(value.normalize()) ?? value);
  return Array.isArray(given) ? given.map(write) : write(given);
}
