import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { UploadContent } from '@parleyhq/client';
import { SettingsError } from '../settings/settings.ts';

/** Media types that browsers give to files with these extensions. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.zip': 'application/zip',
};

/** Opens a local file for an upload, without reading it into memory. @throws SettingsError if there is no such file */
export async function openLocalFile(path: string): Promise<UploadContent> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new SettingsError(`${path} is a folder, not a file.`);
  if (!found?.isFile()) throw new SettingsError(`There is no file ${path}.`);
  const type = mediaTypes[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return Object.assign(await openAsBlob(path, { type }), { name: basename(path) });
}
