import { isKept } from './exact-number.ts';

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
