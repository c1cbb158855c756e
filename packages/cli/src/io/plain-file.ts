import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { decodeText } from './plain-text.ts';

/**
 * The text of a file of the data directory; undefined where there is none that can be read.
 * @throws SettingsError where it is not UTF-8; Error for a link, a pipe and whatever else is no file: it would be followed, or never end (SEC10)
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
    if (!fstatSync(descriptor).isFile()) throw refuse(path); // put there meanwhile
    return decodeText(readFileSync(descriptor), path);
  } finally {
    closeSync(descriptor);
  }
}

function refuse(path: string): Error {
  return new Error(`${path} is not a file.`);
}
