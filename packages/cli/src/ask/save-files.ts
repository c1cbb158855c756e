import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cleanFileName, isRecord, type Json } from '@parleyhq/core';
import type { ServerHttp } from '../running-server/server-http.ts';
import { SettingsError } from '../settings/settings.ts';

/** Room is left for a number before the ending. */
const maxNameBytes = 240;

/** A file that was attached to an answer, as the result describes it. */
interface Attached {
  readonly name: string;
  readonly url: string;
  /** Path of the saved file. */
  readonly path?: string;
}

/** Returns the files that were attached to an answer. */
export function listAttached(result: Json | undefined): readonly Attached[] {
  const files = isRecord(result) && Array.isArray(result.files) ? result.files : [];
  return files.every(isAttached) ? (files as unknown as Attached[]) : [];
}

/** Whether this is a file of the answer, and not a tool's own member of the same name. */
function isAttached(file: Json): boolean {
  return isRecord(file) && typeof file.fileId === 'string' && typeof file.name === 'string' && isAddress(file.url);
}

function isAddress(url: Json | undefined): boolean {
  return typeof url === 'string' && /^https?:\/\/[^/]+\/api\/calls\/[^/]+\/files\//.test(url);
}

/** Checks where files are to be saved, before anybody is asked. @throws SettingsError if that is a file, or below one */
export async function requireFolder(flag: string, folder: string): Promise<void> {
  const found = await stat(folder).catch(({ code }: NodeJS.ErrnoException) => code);
  if (found === 'ENOTDIR' || (typeof found === 'object' && !found.isDirectory()))
    throw new SettingsError(`${flag}: ${folder} is not a folder.`);
}

/**
 * Saves the files of a result in a folder, which is created if necessary, without replacing anything there.
 * @returns the result, with a `path` for each of its files
 * @throws Error if one cannot be fetched or written
 */
export async function saveFiles(http: ServerHttp, result: Json | undefined, folder: string): Promise<Json | undefined> {
  const attached = listAttached(result);
  if (attached.length === 0 || !isRecord(result)) return result;
  await mkdir(folder, { recursive: true });
  const files: Json[] = [];
  for (const file of attached) files.push({ ...file, path: await save(http, file, resolve(folder)) });
  return { ...result, files };
}

async function save(http: ServerHttp, { name, url }: Attached, folder: string): Promise<string> {
  const { name: stem, ext } = parse(toVisible(shorten(cleanFileName(name))));
  for (let n = 1; ; n += 1) {
    const path = join(folder, n === 1 ? `${stem}${ext}` : `${stem} (${n})${ext}`);
    try {
      await pipeline(await http.download(url), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      await rm(path, { force: true }); // no half of it is left for scripts to read
      throw error;
    }
  }
}

/** Cuts a name to what file systems take, in bytes, at its beginning: the ending stays. */
function shorten(name: string): string {
  const characters = [...name];
  while (Buffer.byteLength(characters.join('')) > maxNameBytes) characters.shift();
  return characters.join('');
}

/** Removes what hides a file: people have to see what was sent, and programs that read the folder must not run it as their settings. */
function toVisible(name: string): string {
  return name.replace(/^[.\s]+/, '') || 'file';
}
