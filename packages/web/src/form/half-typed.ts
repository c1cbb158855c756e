import type { FieldErrors } from '@parleyhq/core';

const words = 'Not complete.';

/** The fields in which the browser holds something that is not a value yet, such as half a date: it looks empty, and no event says that it is there. */
export function findHalfTyped(root: ParentNode): FieldErrors {
  const inputs = [...root.querySelectorAll<HTMLInputElement>('input[id^="field-"]')];
  return Object.fromEntries(inputs.filter(({ validity }) => validity.badInput).map(({ name }) => [name, words]));
}
