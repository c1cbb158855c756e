import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileReference, TurnInput } from '@parleyhq/core';
import type { Briefing, Result } from './briefing.ts';
import type { UserBlock } from './sdk.ts';

/**
 * Saves what people attached to messages and to the answers of calls in the folder of results, and names the paths: Claude Code reads
 * texts and looks at images itself (REV6).
 * @param findFolder - called only if there is something to save
 */
export async function saveAttached(
  turn: Pick<TurnInput, 'openFile'>,
  briefing: Briefing,
  findFolder: () => Promise<string>,
): Promise<Briefing> {
  const { results, news, newFiles, retelling, allFiles } = briefing;
  if (allFiles.length === 0 && results.every(({ files = [] }) => files.length === 0)) return briefing;
  const folder = await findFolder();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const savePaths = async (files: readonly FileReference[] = []): Promise<string | undefined> => {
    const saved = await Promise.all(files.map((file) => save(turn, file, folder)));
    const paths = saved.flatMap((path) => path ?? []);
    return paths.length === 0 ? undefined : `Attached files:\n${paths.join('\n')}`;
  };
  const addToResult = async (result: Result): Promise<Result> => {
    const paths = await savePaths(result.files);
    if (paths === undefined) return result;
    const words = result.words === undefined ? paths : `${result.words}\n\n${paths}`;
    return { ...result, words, text: `${result.text}\n\n${paths}` };
  };
  const addTo = async (
    blocks: readonly UserBlock[],
    files: readonly FileReference[],
  ): Promise<readonly UserBlock[]> => {
    const text = await savePaths(files);
    return text === undefined ? blocks : [...blocks, { type: 'text', text }];
  };
  return {
    ...briefing,
    results: await Promise.all(results.map(addToResult)),
    retelling: await addTo(retelling, allFiles),
    news: await addTo(news, newFiles),
  };
}

/** Returns the ending of a name, by which Claude Code knows an image; the rest may be too long for a file system. */
function endingOf(name: string): string {
  return /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
}

/** Returns the path of the saved file; undefined if the server no longer has its bytes. */
async function save(
  { openFile }: Pick<TurnInput, 'openFile'>,
  file: FileReference,
  folder: string,
): Promise<string | undefined> {
  const path = join(folder, `${file.fileId}${endingOf(file.name)}`);
  if (existsSync(path)) return path; // of an earlier turn
  const bytes = await openFile(file);
  if (!bytes) return undefined;
  const part = join(folder, randomUUID());
  await pipeline(bytes, createWriteStream(part, { mode: 0o600 }));
  await rename(part, path); // whole, even if a process is killed meanwhile
  return path;
}
