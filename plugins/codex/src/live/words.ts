import { showHidden } from '@parleyhq/core';

/** Limit of a rule's words in characters: nobody reads a longer one to the end. */
const maxLabelLength = 300;

/** Escapes line breaks, so that a path or a host cannot add a line to what is shown. */
export function oneLine(text: string): string {
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) ? JSON.stringify(text) : text;
}

/** Quotes a name within the words of a rule; undefined if it could be read as more than a name. */
export function quoteName(name: string): string | undefined {
  return name.includes('`') || showHidden(name) !== name || oneLine(name) !== name ? undefined : `\`${name}\``;
}

/** Writes the words of a command; undefined if they cannot be told apart. */
export function quoteWords(words: readonly string[]): string | undefined {
  const isPlain = words.every((word) => /^[\w@%+=:,./-]+$/.test(word));
  return quoteName(isPlain ? words.join(' ') : JSON.stringify(words));
}

/** The words of a rule; undefined if a part of them could not be quoted, or they are too long to be read. */
export function ruleWords(parts: TemplateStringsArray, ...names: readonly (string | undefined)[]): string | undefined {
  if (names.includes(undefined)) return undefined;
  const label = String.raw({ raw: parts }, ...names);
  return label.length > maxLabelLength ? undefined : label;
}
