import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { decodeText } from './plain-text.ts';

/**
 * Reads a text file of the data directory; undefined if it does not exist or cannot be read.
 * @throws SettingsError if it is not UTF-8; Error if it is a link, a pipe or anything else that is not a file, which could lead
 *   elsewhere or never end (SEC10)
 */
export function readPlainFile(path: string): string | undefined {
  const found = look(path);
  if (found && !found.isFile()) throw refuse(path);
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    if (!fstatSync(descriptor).isFile()) throw refuse(path); // it was replaced meanwhile
    return decodeText(readFileSync(descriptor), path);
  } finally {
    closeSync(descriptor);
  }
}

/** Undefined if there is nothing, or this user may not look. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

function refuse(path: string): Error {
  return new Error(`${path} is not a file.`);
}
