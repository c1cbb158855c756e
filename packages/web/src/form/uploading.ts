import type { FieldErrors } from '@parleyhq/core';
import type { FileField } from './file-field.ts';

const words = 'A file is not there yet: wait for it, try again, or remove it.';

/** The fields with files on their way, which are no part of an answer yet. */
export function findUploading(root: ParentNode): FieldErrors {
  const fields = root.querySelectorAll<FileField>('parley-file-field[busy]');
  return Object.fromEntries(Array.from(fields, ({ context }) => [context.field.id, words]));
}
