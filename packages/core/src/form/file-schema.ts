import * as z from 'zod/mini';
import { isRecord } from '../basics/json.ts';
import type { Field } from './field.ts';
import { fileReferenceSchema } from './file.ts';

/** How a file is asked for in a schema: what a field of type `file` has, and its words. */
export interface FileOptions extends Pick<Field, 'accept' | 'maxBytes' | 'description' | 'header' | 'invalidMessage'> {
  /** What the field is called. */
  readonly title?: string;
}

/**
 * A file in the schema of `ctx.ask`, as in `z.object({ cv: file({ accept: ['.pdf'] }) })`; a list of it is several files. The
 * value is a reference, which `ctx.openFile` reads (PLG13).
 */
export function file(options: FileOptions = {}): typeof fileReferenceSchema {
  return fileReferenceSchema.check(z.meta({ file: true, ...options }));
}

/** Whether a JSON Schema is that of `file`. */
export function isFileSchema(schema: unknown): schema is Record<string, unknown> {
  return isRecord(schema) && schema.file === true;
}
