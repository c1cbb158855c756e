import { type Field, type FormValues, isRecord, type Json, readNumber } from '@parleyhq/core';
import { fieldBlockOf, otherBlockOf } from './draw-modal.ts';

/** The state of a submitted modal: by block, then by element. */
export type ModalState = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Reads what somebody filled in. Nothing is checked here: the server has one law for all answers. */
export function readValues(fields: readonly Field[], state: ModalState): FormValues {
  const values: Record<string, Json> = {};
  for (const [n, field] of fields.entries()) {
    const value = withOther(
      field,
      readValue(field, state[fieldBlockOf(n)]?.value),
      readText(state[otherBlockOf(n)]?.value),
    );
    if (value !== undefined) values[field.id] = value;
  }
  return values;
}

/** Reads the text of an input. Undefined if it was left empty. */
export function readText(element: unknown): string | undefined {
  const { value } = isRecord(element) ? element : {};
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readValue(field: Field, element: unknown): Json | undefined {
  const given = isRecord(element) ? element : {};
  const chosen = [given.selected_option, ...(Array.isArray(given.selected_options) ? given.selected_options : [])]
    .filter(isRecord)
    .map(({ value }) => String(value));
  const toValue = (index: string) => field.options?.[Number(index)]?.value;
  switch (field.type) {
    case 'checkbox':
      return chosen.length > 0;
    case 'number': {
      const text = readText(given);
      return text === undefined ? undefined : readNumber(text);
    }
    case 'select':
    case 'radio':
      return chosen[0] === undefined ? undefined : toValue(chosen[0]);
    case 'multiselect':
      return chosen.map(toValue).filter((value) => value !== undefined);
    case 'date':
      return wordOf(given.selected_date);
    case 'time':
      return wordOf(given.selected_time);
    case 'datetime': {
      const seconds = given.selected_date_time;
      return typeof seconds === 'number' ? new Date(seconds * 1000).toISOString() : undefined;
    }
    default:
      return readText(given);
  }
}

const wordOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** Adds the free text of a choice: in place of the one option, or as one more. */
function withOther({ type }: Field, value: Json | undefined, other: string | undefined): Json | undefined {
  if (other === undefined) return value;
  return type === 'multiselect' ? [...(Array.isArray(value) ? value : []), { other }] : { other };
}
