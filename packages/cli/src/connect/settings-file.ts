import { randomUUID } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { SettingsFile } from '@parleyhq/core';
import { decodeText } from '../io/plain-text.ts';

type Text = Pick<SettingsFile, 'path' | 'text'>;

/** With it some editors begin a file in UTF-8. It is not part of the text, and stays. */
const byteOrderMark = '\uFEFF';

/** Reads the file; if the path is a link, the one that it leads to. @throws Error if the file exists and cannot be read */
export function readSettingsFile(path: string): SettingsFile {
  try {
    const file = realpathSync(path);
    if (!statSync(file).isFile()) throw new Error('it is not a file'); // reading a pipe might never end
    const bytes = readFileSync(file);
    const mark = bytes.subarray(0, 3).toString() === byteOrderMark ? byteOrderMark : '';
    return toFile({ path: file, text: decodeText(bytes, 'it') }, mark);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return toFile({ path: followLinks(path), text: undefined }, '');
    throw new Error(`${path} cannot be read (${message}): it was left as it is.`, { cause: error });
  }
}

/** Returns where a file would be that does not exist: its owner may have linked it before making it. */
function followLinks(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? followLinks(resolve(dirname(path), readlinkSync(path))) : path;
}

function toFile(file: Text, mark: string): SettingsFile {
  return { ...file, write: (changed) => write(file, `${mark}${changed}`) };
}

/** Writes the file atomically, readable only by its owner because it contains a token. */
function write({ path, text }: Text, changed: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, changed, { mode: 0o600, flag: 'wx' });
    requireUnchanged({ path, text });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** @throws Error if the file was changed since it was read */
export function removeSettingsFile(file: Text): void {
  requireUnchanged(file);
  rmSync(file.path);
}

function requireUnchanged({ path, text }: Text): void {
  if (readSettingsFile(path).text !== text) throw new Error(`${path} was changed meanwhile: try again.`);
}
