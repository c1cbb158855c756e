import type { FieldErrors } from '@parleyhq/core';
import type { FileField } from './file-field.ts';

const words = 'A file is not there yet: wait for it, try again, or remove it.';
const stuckWords = 'A file cannot be used: remove it, or choose another one.';

/** Returns errors for fields whose content is not part of an answer yet: a running upload, or half a date. */
export function findUnready(root: ParentNode): FieldErrors {
  const files = [...root.querySelectorAll<FileField>('parley-file-field[busy]')];
  return {
    ...Object.fromEntries(files.map(({ context, isStuck }) => [context.field.id, isStuck ? stuckWords : words])),
    ...findHalves(root),
  };
}

/**
 * Returns errors for fields with input that the browser rejects, such as half a date: their value is empty, and no event is
 * fired.
 */
export function findHalves(root: ParentNode): FieldErrors {
  const halves = [...root.querySelectorAll('input')].filter(({ validity }) => validity.badInput);
  return Object.fromEntries(halves.map(({ name }) => [name, 'Not complete.']));
}
