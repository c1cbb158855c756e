import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { backUpDatabase, backUpFiles } from '@parleyhq/server';
import { toLine } from '../io/line.ts';
import { readSettings } from '../settings/settings.ts';
import { findDatabase, findFilesDir } from '../store/open-store.ts';
import { writeWhole } from './write-whole.ts';

export interface BackupFlags {
  readonly dataDir?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** `parley backup`: copies and checks the database, whether a server is running or not (OPS6). @throws SettingsError, StoreError, Error */
export async function backUp(file: string, { json, ...flags }: BackupFlags): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  const { dataDir } = settings;
  const database = findDatabase(settings, 'backup');
  const { backup, files } = await withFiles(file, findFilesDir(settings), () =>
    writeWhole(file, { flag: 'backup', dataDir }, (beside) => backUpDatabase(database, beside)),
  );
  const { sessions, events } = backup;
  const counted = `${sessions} ${sessions === 1 ? 'session' : 'sessions'} and ${events} ${events === 1 ? 'event' : 'events'}`;
  const beside = files === 0 ? '' : ` ${folderFor(file)} holds ${files} ${files === 1 ? 'file' : 'files'} of answers.`;
  process.stdout.write(
    json
      ? `${JSON.stringify({ file, ...backup, files })}\n`
      : toLine(`${file} holds ${counted}, and was checked.${beside}`),
  );
}

/** Where the files of answers go, beside the copy of the database. */
function folderFor(file: string): string {
  return `${file}.files`;
}

/** Copies the files of answers before the database and after it: none of an answer in the copy is missing. */
async function withFiles<Result>(
  file: string,
  from: string,
  backUp: () => Promise<Result>,
): Promise<{ readonly backup: Result; readonly files: number }> {
  if (!existsSync(from)) return { backup: await backUp(), files: 0 };
  const beside = `${file}.${randomUUID()}.part`;
  try {
    const before = await backUpFiles(from, beside);
    const backup = await backUp();
    const files = before + (await backUpFiles(from, beside));
    await rm(folderFor(file), { recursive: true, force: true });
    if (files > 0) await rename(beside, folderFor(file));
    return { backup, files };
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}
