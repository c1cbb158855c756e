import { isKept } from '../basics/exact-number.ts';

const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** A single comma that cannot be a thousands separator. */
const withComma = /^[+-]?(0?,\d+|\d+,(\d{1,2}|\d{4,}))$/;

/** Signs of other keyboards and scripts, and their ASCII equivalents. NFKC would also turn a superscript into a digit. */
const foreign = '\u2212\uff0d\uff0b\uff0c\u066b\uff0e';
const meant = '--+,,.';

/**
 * Parses a number that a person typed, in the digits of any script, with a decimal point or comma. Ambiguous input, such as
 * `1,234` or `1.234,5`, and anything that is not a number or not exactly representable stays a text, which validation rejects.
 * Rejects `0x10` and `Infinity` like JSON.
 */
export function readNumber(typed: string): number | string {
  const text = typed
    .replace(/\p{Nd}/gu, toAsciiDigit)
    .replace(/[^\0-\x7f]/g, (sign) => meant[foreign.indexOf(sign)] ?? sign)
    .replace(/\p{Cf}/gu, '') // direction marks
    .trim();
  const number = plain.test(text) ? text : withComma.test(text) ? text.replace(',', '.') : undefined;
  return number !== undefined && isKept(number) ? Number(number) : (number ?? typed.trim());
}

/** Explains why a text is not accepted as a number. */
export function describeNumberFault(value: unknown): string {
  if (typeof value !== 'string' || !plain.test(value) || isKept(value)) return 'Must be a number, as in 1234.5.';
  return Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER
    ? 'Too large to be kept exactly.'
    : 'Has too many digits to be kept exactly.';
}

/** Converts a decimal digit of any script. Scripts encode their ten digits consecutively. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}
