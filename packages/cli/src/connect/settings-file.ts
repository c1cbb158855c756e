import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SettingsFile } from '@parleyhq/core';
import { decodeText } from '../io/plain-text.ts';

/** The settings file of another program, and what else is known about it. */
export interface OpenedFile extends SettingsFile {
  /** Whether the path is a link, because its owner keeps the file elsewhere. */
  readonly isLinked: boolean;
}

type Text = Pick<SettingsFile, 'path' | 'text'>;

/** With it some editors begin a file in UTF-8. It is not part of the text, and stays. */
const byteOrderMark = '\uFEFF';

/** @throws Error if the file exists and cannot be read */
export function readSettingsFile(path: string): OpenedFile {
  try {
    const file = realpathSync(path);
    if (!statSync(file).isFile()) throw new Error('it is not a file'); // reading a pipe might never end
    const bytes = readFileSync(file);
    const mark = bytes.subarray(0, 3).toString() === byteOrderMark ? byteOrderMark : '';
    return toFile(file, { text: decodeText(bytes, 'it'), mark, isLinked: lstatSync(path).isSymbolicLink() });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return toFile(path, { text: undefined, mark: '', isLinked: false });
    throw new Error(`${path} cannot be read (${message}): it was left as it is.`, { cause: error });
  }
}

function toFile(
  path: string,
  { text, mark, isLinked }: { text: string | undefined; mark: string; isLinked: boolean },
): OpenedFile {
  return { path, text, isLinked, write: (changed) => write({ path, text }, `${mark}${changed}`) };
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
