import type { Json } from '../basics/json.ts';
import { type Field, type FormSchema, type FormValues, findVisibleFields, isChoice, isEmptyValue } from './field.ts';

/**
 * The values of a submitted form as every door means them (INT16): a checkbox that is shown and was left out is `false`, unless it stands in an optional
 * section that is otherwise empty, and a choice is written as its option is. What was typed as free text stays as it is.
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
  const isKept = (id: string) => visible.has(id) || Object.hasOwn(given, id); // what is hidden is refused, not dropped
  return Object.fromEntries(Object.entries(completed).filter(([id]) => isKept(id)));
}

function writeChoice({ options = [] }: Field, given: Json): Json {
  const exact = new Set<Json>(options.map(({ value }) => value)); // once for all: both lists may be long
  const composed = new Map(options.map(({ value }) => [value.normalize(), value]));
  const write = (value: Json): Json =>
    typeof value !== 'string' || exact.has(value) ? value : (composed.get(value.normalize()) ?? value);
  return Array.isArray(given) ? given.map(write) : write(given);
}
