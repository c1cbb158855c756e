import * as z from 'zod/mini';
import { isRecord } from '../basics/json.ts';
import type { Field } from './field.ts';
import { fileReferenceSchema } from './file.ts';

/** Options of a file in a schema: those of a `file` field, and its title. */
export interface FileOptions extends Pick<Field, 'accept' | 'maxBytes' | 'description' | 'header' | 'invalidMessage'> {
  /** Label of the field. */
  readonly title?: string;
}

/**
 * Makes the schema of a file for `ctx.ask`, as in `z.object({ cv: file({ accept: ['.pdf'] }) })`; a list of it accepts several
 * files. The value is a reference, which `ctx.openFile` reads (PLG13).
 */
export function file(options: FileOptions = {}): typeof fileReferenceSchema {
  return fileReferenceSchema.check(z.meta({ file: true, ...options }));
}

/** Whether a JSON Schema was made by `file`. */
export function isFileSchema(schema: unknown): schema is Record<string, unknown> {
  return isRecord(schema) && schema.file === true;
}
