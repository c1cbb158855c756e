const plain = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** One comma that no reader takes for a separator of thousands. */
const withComma = /^[+-]?(0?,\d+|\d+,(\d{1,2}|\d{4,}))$/;

/** Signs of other keyboards and scripts, and what each means. NFKC would make a 2 of a superscript, too. */
const foreign = '\u2212\uff0d\uff0b\uff0c\u066b\uff0e';
const meant = '--+,,.';

/**
 * The number that a person typed, in the digits of any script, with a point or a comma before its fraction; undefined for anything that could be
 * read in two ways, such as `1,234` or `1.234,5`, and for what is not a number. JSON has no other numbers: not `0x10`, not `Infinity`.
 */
export function readNumber(typed: string): number | undefined {
  const text = typed
    .replace(/\p{Nd}/gu, toAsciiDigit)
    .replace(/[^\0-\x7f]/g, (sign) => meant[foreign.indexOf(sign)] ?? sign)
    .replace(/\p{Cf}/gu, '') // marks that only turn the direction
    .trim();
  const number = plain.test(text) ? Number(text) : withComma.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** The decimal digits of a script follow each other, ten at a time. */
function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String((code - zero) % 10);
}
