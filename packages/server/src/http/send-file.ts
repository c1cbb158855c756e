import { type FileReference, isPicture, RefusalError } from '@parleyhq/core';
import type { Context } from 'hono';
import type { Env } from './request.ts';

/**
 * Sends a file of a session: a raster image so that a page may show it, anything else as a download (PLG13).
 * @throws RefusalError `not_found` if there is no such file, or its bytes are no longer stored
 */
export async function sendFile(
  context: Context<Env>,
  file: FileReference | undefined,
  read: (file: FileReference) => Promise<ReadableStream<Uint8Array> | undefined>,
): Promise<Response> {
  const bytes = file && (await read(file));
  if (!bytes) throw new RefusalError('not_found', { message: 'This file is not stored here.' });
  const isInPage = isPicture(file);
  return context.body(bytes, 200, {
    'Content-Type': isInPage ? file.mediaType : 'application/octet-stream',
    'Content-Length': String(file.size),
    'Content-Disposition': `${isInPage ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeName(file.name)}`,
    'Cache-Control': 'private, no-store',
  });
}

function encodeName(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
