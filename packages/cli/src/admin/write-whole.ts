import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { SettingsError } from '../settings/settings.ts';

/**
 * Has a file written beside `path`, which it then takes the place of, whole: of a file, or of a link, which it does not follow.
 * @param flag - what named it, for messages
 * @throws SettingsError within the data directory, Error where it cannot be written
 */
export async function writeWhole<Result>(
  path: string,
  { flag, dataDir }: { readonly flag: string; readonly dataDir: string },
  write: (beside: string) => Promise<Result>,
): Promise<Result> {
  const file = resolve(path);
  const folder = requireFolder(file, flag, dataDir);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile() && !found.isSymbolicLink())
    throw new Error(`${file} could not be written: it is there, and is no file.`);
  const beside = join(folder, `.${randomUUID()}.part`);
  try {
    const result = await write(beside);
    renameSync(beside, file);
    return result;
  } catch (error) {
    rmSync(beside, { force: true });
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new Error(`${file} could not be written: ${error.message}`, { cause: error });
  }
}

/** @throws SettingsError for the data directory, Error where there is none */
function requireFolder(file: string, flag: string, dataDir: string): string {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder} to write to.`);
  const path = relative(realpathSync(dataDir), realpathSync(folder));
  if (path !== '..' && !path.startsWith(`..${sep}`)) {
    throw new SettingsError(`${flag}: ${file} is inside the data directory, where it could damage the database.`);
  }
  return folder;
}
