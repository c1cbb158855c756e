import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { decodeText } from './plain-text.ts';

/**
 * Reads a text file of the data directory; undefined if it does not exist or cannot be read.
 * @throws SettingsError if it is not UTF-8; Error if it is a link, a pipe or anything else that is not a file, which could lead
 *   elsewhere or never end (SEC10)
 */
export function readPlainFile(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
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

function refuse(path: string): Error {
  return new Error(`${path} is not a file.`);
}
