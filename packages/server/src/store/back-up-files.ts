import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What is not whole yet is no part of an answer. */
const unfinished = /\.(part|copy|new)$/;

/**
 * Copies a folder of files as far as it is not in `to` yet. Called before a database is copied and again after, it leaves out no
 * file of an answer in the copy: a file is whole before its answer is stored, and only goes with its session (OPS6).
 * @returns how many were copied now
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

/** @returns false where it is gone, as files of a deleted session are */
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
