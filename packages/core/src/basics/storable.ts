import * as z from 'zod/mini';

/** A NUL, which databases refuse, or half of a surrogate pair, which they replace so that two names would become one. */
const lost = /[\0\p{Surrogate}]/u;

/** Whether every database returns the text unchanged. */
export function isStorable(text: string): boolean {
  return !lost.test(text);
}

/** Check for names that are used as keys: databases must return them unchanged. */
export const storable = /* @__PURE__ */ z.refine<string>(isStorable, {
  error: 'has a NUL or half of a character',
});

/** Makes a text storable: replaces what databases cannot keep with U+FFFD. */
export function toStorable(text: string): string {
  return text.replace(new RegExp(lost, 'gu'), '\ufffd');
}
