import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { backUpDatabase, backUpFiles } from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import type { DataFlags } from '../settings/flags.ts';
import { readSettings } from '../settings/settings.ts';
import { findDatabase, findFilesDir } from '../store/open-store.ts';
import { writeWhole } from './write-atomically.ts';

/**
 * `parley backup`: copies the database and checks the copy, whether a server is running or not (OPS6).
 * @throws SettingsError, StoreError, Error
 */
export async function backUp(file: string, { json, ...flags }: DataFlags): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  const { dataDir } = settings;
  const database = findDatabase(settings, 'backup');
  const { backup, files } = await withFiles(file, findFilesDir(settings), () =>
    writeWhole(file, { flag: 'backup', dataDir }, (temporary) => backUpDatabase(database, temporary)),
  );
  const { sessions, events } = backup;
  const counted = `${sessions} ${sessions === 1 ? 'session' : 'sessions'} and ${events} ${events === 1 ? 'event' : 'events'}`;
  const filesNote =
    files === 0 ? '' : ` ${folderFor(file)} holds ${files} ${files === 1 ? 'file' : 'files'} of answers.`;
  process.stdout.write(
    json ? toJsonLine({ file, ...backup, files }) : toLine(`${file} holds ${counted}, and was checked.${filesNote}`),
  );
}

/** The folder for uploaded files, next to the copy of the database. */
function folderFor(file: string): string {
  return `${file}.files`;
}

/** Copies uploaded files before and after the database, so that every file an answer in the copy refers to is present. */
async function withFiles<Result>(
  file: string,
  from: string,
  backUp: () => Promise<Result>,
): Promise<{ readonly backup: Result; readonly files: number }> {
  if (!existsSync(from)) return { backup: await backUp(), files: 0 };
  const temporary = `${file}.${randomUUID()}.part`;
  try {
    const before = await backUpFiles(from, temporary);
    const backup = await backUp();
    const files = before + (await backUpFiles(from, temporary));
    await rm(folderFor(file), { recursive: true, force: true });
    if (files > 0) await rename(temporary, folderFor(file));
    return { backup, files };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
