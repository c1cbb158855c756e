import { isKept } from '../basics/exact-number.ts';

const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** One comma that no reader takes for a separator of thousands. */
const withComma = /^[+-]?(0?,\d+|\d+,(\d{1,2}|\d{4,}))$/;

/** Signs of other keyboards and scripts, and what each means. NFKC would make a 2 of a superscript, too. */
const foreign = '\u2212\uff0d\uff0b\uff0c\u066b\uff0e';
const meant = '--+,,.';

/**
 * The number that a person typed, in the digits of any script, with a point or a comma before its fraction. What could be read in two ways, such as
 * `1,234` or `1.234,5`, is not a number or is not kept exactly stays a text, which the check refuses. JSON has no `0x10` and no `Infinity`.
 */
export function readNumber(typed: string): number | string {
  const text = typed
    .replace(/\p{Nd}/gu, toAsciiDigit)
    .replace(/[^\0-\x7f]/g, (sign) => meant[foreign.indexOf(sign)] ?? sign)
    .replace(/\p{Cf}/gu, '') // marks that only turn the direction
    .trim();
  const number = plain.test(text) ? text : withComma.test(text) ? text.replace(',', '.') : undefined;
  return number !== undefined && isKept(number) ? Number(number) : (number ?? typed.trim());
}

/** Why a text is refused as the value of a number: it is not one, or would be another one. */
export function describeNumberFault(value: unknown): string {
  if (typeof value !== 'string' || !plain.test(value) || isKept(value)) return 'Must be a number, as in 1234.5.';
  return Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER
    ? 'Too large to be kept exactly.'
    : 'Has too many digits to be kept exactly.';
}

/** The decimal digits of a script follow each other, ten at a time. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}
