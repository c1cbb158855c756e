import * as z from 'zod/mini';

/** A NUL, or half of a surrogate pair: databases refuse the one and replace the other, so that two names would become one. */
const lost = /[\0\p{Surrogate}]/u;

/** Whether a name comes back from any database as it was given. */
export function isStorable(text: string): boolean {
  return !lost.test(text);
}

/** Of names that others are found by: they come back as they were given. */
export const storable = /* @__PURE__ */ z.refine<string>(isStorable, {
  error: 'has a NUL or half of a character',
});

/** A text to be shown, with a mark where something is lost. */
export function toStorable(text: string): string {
  return text.replace(new RegExp(lost, 'gu'), '\ufffd');
}
