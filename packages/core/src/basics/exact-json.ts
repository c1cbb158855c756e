import { isKept } from './exact-number.ts';

/** A number that a double cannot hold exactly, and its position in the JSON. */
export interface InexactNumber {
  /** Digits as they were written. */
  readonly number: string;
  /** Names and indexes that lead to it; empty if it is the whole text. */
  readonly path: readonly (string | number)[];
}

/**
 * Rejects JSON with a number that would change when parsed (RFC 8259 §6). The message names the number, its path and the remedy.
 */
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

/** Limit for the number in a message, in characters. */
const mostShown = 60;

/**
 * Parses JSON that another program or a person wrote.
 * @throws SyntaxError if it is not JSON, InexactNumberError if a number would change
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const inexact = findInexactNumber(text);
  if (inexact) throw new InexactNumberError(inexact);
  return value;
}

/** Numbers with fewer digits and no three-digit exponent are always exact. */
const mayBeInexact = /\d[\d.]{15}|\d[eE][+-]?\d{3}/;

/** Finds the first number of a JSON text that a double cannot hold exactly. Runs in linear time. */
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

/** @returns the index after the string literal that starts here */
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
