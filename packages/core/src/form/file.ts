import * as z from 'zod/mini';
import { isRecord, type Json } from '../basics/json.ts';

/** What an answer holds of a file: its bytes lie beside the log (PLG13). */
export const fileReferenceSchema = z.object({
  fileId: z.string(),
  /** As it was chosen, without folders and without characters that nobody sees. */
  name: z.string(),
  /** As it was uploaded with; of a picture, what its first bytes say. */
  mediaType: z.string(),
  /** In bytes. */
  size: z.int(),
  /** Of the bytes, in hexadecimal digits. */
  sha256: z.string(),
});

export type FileReference = z.infer<typeof fileReferenceSchema>;

const texts = ['fileId', 'name', 'mediaType', 'sha256'] as const;

/** As the schema has it, which the page leaves behind. */
export function isFileReference(value: unknown): value is FileReference {
  return isRecord(value) && texts.every((key) => typeof value[key] === 'string') && Number.isSafeInteger(value.size);
}

/** The files of an answered field, one or several. */
export function listFiles(value: Json | undefined): readonly FileReference[] {
  return (Array.isArray(value) ? value : [value]).filter(isFileReference);
}

/** A file as people read it: its name and size. */
export function describeFile({ name, size }: Pick<FileReference, 'name' | 'size'>): string {
  return `${name} (${describeBytes(size)})`;
}

const units = ['bytes', 'KB', 'MB', 'GB'];

/** A size as people read it, in steps of 1024. */
export function describeBytes(bytes: number): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  const count = bytes / 1024 ** step;
  const digits = step > 0 && count < 10 && !Number.isInteger(count) ? 1 : 0;
  return bytes === 1 ? '1 byte' : `${count.toFixed(digits)} ${units[step]}`;
}
