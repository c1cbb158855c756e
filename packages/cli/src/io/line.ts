import { showHidden } from '@parleyhq/core';

/** Characters that control a terminal: control characters, and those that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const orders = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Escapes text from others for a terminal, so that JSON parsers still read it back; files and pipes get it unchanged (SEC5). */
export function forTerminal(text: string, isTerminal: boolean = process.stdout.isTTY): string {
  if (!isTerminal) return text;
  return text.replace(orders, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One line for a terminal: text from others can neither move the cursor nor start another line (SEC5). */
export function toLine(text: string): string {
  return `${showHidden(text).replace(/[\n\t]/g, ' ')}\n`;
}

/** A value as one line of JSON, for whoever reads stdout: a terminal gets text from others escaped (SEC5). */
export function toJsonLine(value: unknown): string {
  return forTerminal(`${JSON.stringify(value)}\n`);
}
