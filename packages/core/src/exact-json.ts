/** A number that a double cannot hold, and where it stands in its text. */
export interface InexactNumber {
  /** As it was written. */
  readonly number: string;
  /** The names and places on the way to it; empty for the whole text. */
  readonly path: readonly (string | number)[];
}

/** Refuses JSON with a number that would come back as another one (RFC 8259 §6). Its message names number and path, and what to do. */
export class InexactNumberError extends Error {
  override readonly name = 'InexactNumberError';
  readonly path: InexactNumber['path'];

  constructor({ number, path }: InexactNumber) {
    const where = path.length === 0 ? '' : `${path.join('.')}: `;
    const shown = number.length > mostShown ? `${number.slice(0, mostShown)}…` : number;
    super(`${where}the number ${shown} is not kept exactly: send it as a text`);
    this.path = path;
  }
}

/** In characters. */
const mostShown = 60;

/**
 * Reads JSON that another program or a person wrote.
 * @throws SyntaxError for what is no JSON, InexactNumberError for a number that would be another one afterwards
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const inexact = findInexactNumber(text);
  if (inexact) throw new InexactNumberError(inexact);
  return value;
}

/** Fewer digits than these, and no exponent of three digits: such a number is always kept. */
const mayBeInexact = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

/** The first number of a JSON text that is not kept exactly. Looks at each character a few times at most. */
export function findInexactNumber(text: string): InexactNumber | undefined {
  if (!mayBeInexact.test(text)) return undefined;
  for (let at = 0; at < text.length; ) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      at = endOfText(text, at);
    } else if (char === minus || isDigit(char)) {
      const end = endOfNumber(text, at);
      const number = text.slice(at, end);
      if (mayBeInexact.test(number) && !isKept(number)) return { number, path: pathTo(text, at) };
      at = end;
    } else at += 1;
  }
  return undefined;
}

/** Whether a number as JSON or a person writes it comes back as the same one: in value, not in spelling. */
export function isKept(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const [written, kept] = [readDecimal(number), readDecimal(String(value))];
  return written.digits === kept.digits && written.exponent === kept.exponent;
}

/** What a person typed as a number; the text itself where it is none, or not kept exactly: the check says so. */
export function readNumber(typed: string): number | string {
  const text = typed.trim();
  const isLost = text === '' || !Number.isFinite(Number(text)) || (decimal.test(text) && !isKept(text));
  return isLost ? text : Number(text);
}

/** Why a text is refused as the value of a number: it is none, or would be another one. */
export function describeNumberFault(value: unknown): string {
  if (typeof value !== 'string' || !decimal.test(value) || isKept(value)) return 'Must be a number.';
  return Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER
    ? 'Too large to be kept exactly.'
    : 'Has too many digits to be kept exactly.';
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A decimal as its digits without zeros at either end, and the power of ten of the first; both empty for zero. */
function readDecimal(number: string): { readonly digits: string; readonly exponent: number } {
  const [mantissa = '', power = '0'] = number.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const all = whole + fraction;
  let [start, end] = [0, all.length];
  while (start < end && all.charCodeAt(start) === zero) start += 1;
  while (end > start && all.charCodeAt(end - 1) === zero) end -= 1;
  if (start === end) return { digits: '', exponent: 0 };
  return { digits: all.slice(start, end), exponent: whole.length - start + Number(power) };
}

const [quote, backslash, minus, zero] = ['"', '\\', '-', '0'].map((char) => char.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
];

const isDigit = (char: number): boolean => char >= zero && char < zero + 10;

/** @returns the place behind the text that begins here */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === quote) return at + 1;
    if (char === backslash) at += 1;
  }
  return text.length;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && '0123456789.eE+-'.includes(text.charAt(at))) at += 1;
  return at;
}

function pathTo(text: string, place: number): readonly (string | number)[] {
  const path: (string | number)[] = [];
  let name = '""';
  for (let at = 0; at < place; ) {
    const char = text.charAt(at);
    const end = char === '"' ? endOfText(text, at) : at + 1;
    const last = path.at(-1);
    if (char === '"') name = text.slice(at, end);
    else if (char === '{') path.push('');
    else if (char === '[') path.push(0);
    else if (char === '}' || char === ']') path.pop();
    else if (char === ':') path[path.length - 1] = JSON.parse(name);
    else if (char === ',' && typeof last === 'number') path[path.length - 1] = last + 1;
    at = end;
  }
  return path;
}
