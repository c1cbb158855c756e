import type { FileReference } from './file.ts';

/** Images that a browser may show in a page, because they cannot contain scripts (PLG13). */
const pictures = {
  'image/png': [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  'image/jpeg': [[0xff, 0xd8, 0xff]],
  'image/gif': [
    [0x47, 0x49, 0x46, 0x38, 0x37, 0x61],
    [0x47, 0x49, 0x46, 0x38, 0x39, 0x61],
  ],
  'image/webp': [[0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50]],
} as const satisfies Record<string, readonly (readonly (number | undefined)[])[]>;

/** Whether a page may show the file inline. */
export function isPicture({ mediaType }: Pick<FileReference, 'mediaType'>): boolean {
  return Object.hasOwn(pictures, mediaType);
}

const unknownType = 'application/octet-stream';

/**
 * Returns the media type to store: for an image the type that its first bytes show; a false claim to be an image is dropped.
 * @param start - the first 12 bytes, or all if there are fewer
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
