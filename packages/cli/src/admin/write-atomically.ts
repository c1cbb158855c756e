import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { SettingsError } from '../settings/settings.ts';

/**
 * Writes a file atomically: `write` fills a temporary file next to `path`, which then replaces `path`. A link at `path` is
 * replaced, not followed.
 * @param flag - the flag or command that named the file, for messages
 * @throws SettingsError if the file is inside the data directory, Error if it cannot be written
 */
export async function writeWhole<Result>(
  path: string,
  { flag, dataDir }: { readonly flag: string; readonly dataDir: string },
  write: (temporary: string) => Promise<Result>,
): Promise<Result> {
  const file = resolve(path);
  const folder = requireFolder(file, flag, dataDir);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile() && !found.isSymbolicLink())
    throw new Error(`${file} could not be written: it exists and is not a file.`);
  const temporary = join(folder, `.${randomUUID()}.part`);
  try {
    const result = await write(temporary);
    renameSync(temporary, file);
    return result;
  } catch (error) {
    rmSync(temporary, { force: true });
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new Error(`${file} could not be written: ${error.message}`, { cause: error });
  }
}

/** @throws SettingsError if the folder is inside the data directory, Error if it does not exist */
function requireFolder(file: string, flag: string, dataDir: string): string {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder} to write to.`);
  const path = relative(realpathSync(dataDir), realpathSync(folder));
  if (path !== '..' && !path.startsWith(`..${sep}`)) {
    throw new SettingsError(`${flag}: ${file} is inside the data directory, where it could damage the database.`);
  }
  return folder;
}
