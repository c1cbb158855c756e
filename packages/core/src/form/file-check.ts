import type { Json } from '../basics/json.ts';
import { defaultFileBytes, maxFieldFiles, maxFileBytes } from '../basics/limits.ts';
import type { Field } from './field.ts';
import { describeBytes, describeFile, type FileReference, isFileReference, listFiles } from './file.ts';

/** Returns the maximum size of one file of a field, in bytes. */
export function maxBytesOf({ maxBytes = defaultFileBytes }: Pick<Field, 'maxBytes'>): number {
  return Math.min(maxBytes, maxFileBytes);
}

/** Returns why a file does not fit its field, as a sentence; undefined if it fits. */
export function checkFile(field: Field, file: Pick<FileReference, 'name' | 'mediaType' | 'size'>): string | undefined {
  if (file.size < 1) return `${file.name} is empty.`;
  const most = maxBytesOf(field);
  if (file.size > most) return describeExcess(file, most);
  if (field.accept && !field.accept.some((kind) => isOfKind(kind, file))) {
    return `${file.name} is of another kind than ${describeKinds(field.accept)}.`;
  }
  return undefined;
}

function describeExcess(file: Pick<FileReference, 'name' | 'size'>, most: number): string {
  const limit = describeBytes(most);
  const words = `${describeFile(file)} is too large: at most ${limit}.`;
  const isAlike = describeBytes(file.size) === limit;
  return isAlike ? `${words} It has ${describeBytes(file.size - most)} too many.` : words;
}

const groups: Readonly<Record<string, string>> = {
  'image/*': 'images',
  'video/*': 'videos',
  'audio/*': 'audio',
  'text/*': 'texts',
  'text/plain': 'plain text',
};

/** Describes the accepted kinds for people; media types are shortened to their subtype. */
export function describeKinds(accept: readonly string[]): string {
  return accept.map((kind) => groups[kind.toLowerCase()] ?? kind.replace(/^[a-z]+\/(?=[^*])/i, '')).join(', ');
}

/** Returns the first problem with the files of an answer (PLG13). */
export function checkFiles(field: Field, value: Json): string | undefined {
  const files = Array.isArray(value) ? value : [value];
  if (Array.isArray(value) !== (field.multiple ?? false))
    return field.multiple ? 'Must be a list of files.' : 'Must be one file.';
  const { min, max = maxFieldFiles } = field;
  const most = Math.min(Number(max), maxFieldFiles);
  if (files.length > most) return `Choose at most ${most}.`;
  for (const file of files) {
    const fault = isFileReference(file) ? checkFile(field, file) : notHere;
    if (fault !== undefined) return fault;
  }
  if (new Set(listFiles(value).map(({ fileId }) => fileId)).size < files.length) return 'Each file counts once.';
  return typeof min === 'number' && files.length < min ? `Choose at least ${min}.` : undefined;
}

const notHere = 'A file of this is not here any more: choose it again.';

/** Whether a file matches an `accept` entry, by media type or by the end of its name, like browsers. */
function isOfKind(kind: string, { name, mediaType }: Pick<FileReference, 'name' | 'mediaType'>): boolean {
  if (kind.startsWith('.')) return name.toLowerCase().endsWith(kind.toLowerCase());
  if (kind.endsWith('/*')) return mediaType.startsWith(kind.slice(0, -1).toLowerCase());
  return mediaType === kind.toLowerCase();
}

/** Whether a form asks for files. */
export function asksForFiles(form: { readonly fields: readonly Field[] } | undefined): boolean {
  return form?.fields.some(({ type }) => type === 'file') ?? false;
}
