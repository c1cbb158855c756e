import { showHidden } from '@parleyhq/core';

/** A line for a terminal: what others wrote in it moves no cursor, and begins no other line (SEC5). */
export function toLine(text: string): string {
  return `${showHidden(text).replace(/[\n\t]/g, ' ')}\n`;
}
