import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Incomplete files, which cannot be part of an answer. */
const unfinished = /\.(part|copy|new)$/;

/**
 * Copies the files that `to` lacks. Called before and after a database is copied, it misses no file of an answer in that copy: a
 * file is complete before its answer is stored, and is deleted only with its session (OPS6).
 * @returns how many were copied
 */
export async function backUpFiles(from: string, to: string): Promise<number> {
  let count = 0;
  for (const session of await list(from)) {
    const names = (await list(join(from, session))).filter((name) => !unfinished.test(name));
    if (names.length > 0) await mkdir(join(to, session), { recursive: true, mode: 0o700 });
    const known = new Set(await list(join(to, session)));
    for (const name of names) {
      if (known.has(name) && !name.endsWith('.json')) continue;
      if (await copy(join(from, session, name), join(to, session, name))) count += name.endsWith('.json') ? 0 : 1;
    }
  }
  return count;
}

/** @returns false if the file no longer exists because its session was deleted */
async function copy(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function list(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
