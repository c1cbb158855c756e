import * as z from 'zod/mini';
import { isRecord, type Json } from '../basics/json.ts';

/** A file in an answer: the log has this reference, and the bytes are stored separately (PLG13). */
export const fileReferenceSchema = z.object({
  fileId: z.string(),
  /** Name of the chosen file, without folders and invisible characters. */
  name: z.string(),
  /** Media type as uploaded; that of an image comes from its first bytes. */
  mediaType: z.string(),
  /** Size in bytes. */
  size: z.int(),
  /** SHA-256 of the bytes, in hexadecimal. */
  sha256: z.string(),
});

export type FileReference = z.infer<typeof fileReferenceSchema>;

const texts = ['fileId', 'name', 'mediaType', 'sha256'] as const;

/** Checks a file reference without the schema, which the page does not load. */
export function isFileReference(value: unknown): value is FileReference {
  return isRecord(value) && texts.every((key) => typeof value[key] === 'string') && Number.isSafeInteger(value.size);
}

/** Returns the files of an answered field, one or several. */
export function listFiles(value: Json | undefined): readonly FileReference[] {
  return (Array.isArray(value) ? value : [value]).filter(isFileReference);
}

/** Describes a file for people, by name and size. */
export function describeFile({ name, size }: Pick<FileReference, 'name' | 'size'>): string {
  return `${name} (${describeBytes(size)})`;
}

const units = ['bytes', 'KB', 'MB', 'GB'];

/** Describes a size for people, in steps of 1024. */
export function describeBytes(bytes: number): string {
  if (bytes === 1) return '1 byte';
  let [count, step] = [bytes, 0];
  while (round(count) >= 1024 && step < units.length - 1) [count, step] = [count / 1024, step + 1];
  return `${round(count)} ${units[step]}`;
}

/** Rounds to three digits, and to whole numbers from 100. */
function round(count: number): number {
  return count < 100 ? Math.round(count * 10) / 10 : Math.round(count);
}
