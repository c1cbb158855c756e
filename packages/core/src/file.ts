import * as z from 'zod/mini';
import { isRecord, type Json } from './json.ts';

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

/** In characters. */
const maxNameLength = 200;

const hiddenCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** A name as it is kept: the last part of a path, without what nobody sees, with its ending where it is too long (SEC5). */
export function cleanFileName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const seen = last
    .replace(hiddenCharacters, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .trim();
  const name = /^\.*$/.test(seen) ? 'file' : seen;
  const characters = [...name];
  if (characters.length <= maxNameLength) return name;
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? [];
  return `${characters.slice(0, maxNameLength - ending.length - 1).join('')}…${ending}`;
}

/** Pictures that a browser may show in a page: they hold no script (PLG13). */
const pictures = {
  'image/png': [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  'image/jpeg': [[0xff, 0xd8, 0xff]],
  'image/gif': [
    [0x47, 0x49, 0x46, 0x38, 0x37, 0x61],
    [0x47, 0x49, 0x46, 0x38, 0x39, 0x61],
  ],
  'image/webp': [[0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50]],
} as const satisfies Record<string, readonly (readonly (number | undefined)[])[]>;

/** Whether a page may show it in its place. */
export function isPicture({ mediaType }: Pick<FileReference, 'mediaType'>): boolean {
  return Object.hasOwn(pictures, mediaType);
}

const unknownType = 'application/octet-stream';

/**
 * The media type that is kept: that of a picture is what its first bytes say, and no other says that it is one.
 * @param start - the first 12 bytes, or all where there are fewer
 */
export function judgeMediaType(said: string, start: Uint8Array): string {
  const begins = (pattern: readonly (number | undefined)[]) =>
    pattern.every((byte, n) => byte === undefined || byte === start[n]);
  const found = Object.entries(pictures).find(([, patterns]) => patterns.some(begins));
  if (found) return found[0];
  const [type = ''] = said.toLowerCase().split(';');
  const isKnown = /^[a-z0-9][a-z0-9.+-]{0,60}\/[a-z0-9][a-z0-9.+-]{0,60}$/.test(type.trim());
  return isKnown && !Object.hasOwn(pictures, type.trim()) ? type.trim() : unknownType;
}
