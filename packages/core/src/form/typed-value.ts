import type { Json } from '../basics/json.ts';
import type { Field, Option } from './field.ts';
import { readNumber } from './typed-number.ts';

const yes = /^(y|yes|true|on|1)$/i;
const no = /^(n|no|false|off|0)$/i;

/**
 * Reads what a person typed for a field, if there is nothing but text: a number, yes or no, the label or the number of an option,
 * several options separated by commas. Undefined if it cannot be read; whether the value is valid is checked with the answer.
 */
export function readTypedValue(field: Field, typed: string): Json | undefined {
  const text = typed.trim();
  switch (field.type) {
    case 'number':
      return readNumber(text);
    case 'checkbox':
      return yes.test(text) ? true : no.test(text) ? false : undefined;
    case 'select':
    case 'radio':
      return findOption(field, text)?.value ?? (field.other && text !== '' ? { other: text } : undefined);
    case 'multiselect': {
      const found = text.split(',').map((part) => findOption(field, part.trim())?.value);
      if (found.every((value) => value !== undefined)) return [...new Set(found)];
      return field.other && text !== '' ? [{ other: text }] : undefined;
    }
    case 'text':
    case 'textarea':
    case 'date':
    case 'time':
    case 'datetime':
      return text;
    case 'secret':
    case 'file':
      return undefined; // never typed in the open
    default:
      return field.type satisfies never;
  }
}

function findOption({ options = [] }: Field, text: string): Option | undefined {
  const isNamed = ({ label, value }: Option) => label.toLowerCase() === text.toLowerCase() || value === text;
  return options.find(isNamed) ?? (/^\d{1,2}$/.test(text) ? options[Number(text) - 1] : undefined);
}
