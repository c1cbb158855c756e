import type { FieldErrors } from '@parleyhq/core';
import type { FileField } from './file-field.ts';

const words = 'A file is not there yet: wait for it, try again, or remove it.';

/** The fields that hold something that is no part of an answer yet: a file on its way, or half a value. */
export function findUnready(root: ParentNode): FieldErrors {
  const files = [...root.querySelectorAll<FileField>('parley-file-field[busy]')];
  return { ...Object.fromEntries(files.map(({ context }) => [context.field.id, words])), ...findHalves(root) };
}

/** The fields with what the browser does not take for a value, such as half a date: they look empty to a script, and no event says that they are not. */
export function findHalves(root: ParentNode): FieldErrors {
  const halves = [...root.querySelectorAll('input')].filter(({ validity }) => validity.badInput);
  return Object.fromEntries(halves.map(({ name }) => [name, 'Not complete.']));
}
