import { createHash } from 'node:crypto';
import type { FileReference } from '@parleyhq/core';
import { cleanFileName, judgeMediaType } from '@parleyhq/core';

const bytesOf = new Map<string, Uint8Array<ArrayBuffer>>();

/**
 * Makes a file for a scripted person's answer, as in `submit({ cv: givenFile('cv.pdf', bytes) })`; the tool reads it with
 * `ctx.openFile` (PLG13).
 * @param mediaType - as a browser would declare it; for an image, the first bytes decide
 */
export function givenFile(
  name: string,
  content: string | Uint8Array,
  mediaType = 'application/octet-stream',
): FileReference {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content);
  const fileId = `file-${bytesOf.size + 1}`;
  bytesOf.set(fileId, bytes);
  const type = judgeMediaType(mediaType, bytes.subarray(0, 12));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { fileId, name: cleanFileName(name), mediaType: type, size: bytes.length, sha256 };
}

/** Returns the bytes of a given file; undefined for any other. */
export function readGiven({ fileId }: FileReference): ReadableStream<Uint8Array> | undefined {
  const bytes = bytesOf.get(fileId);
  return bytes && new Blob([bytes]).stream();
}
