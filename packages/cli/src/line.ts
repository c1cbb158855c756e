import { showHidden } from '@parleyhq/core';

/** One line for a terminal: text from others can neither move the cursor nor start another line (SEC5). */
export function toLine(text: string): string {
  return `${showHidden(text).replace(/[\n\t]/g, ' ')}\n`;
}
