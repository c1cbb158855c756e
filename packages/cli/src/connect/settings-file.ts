import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { decodeText } from '../io/plain-text.ts';

/** The settings file of another program, as it was read. */
export interface SettingsFile {
  /** Path of the file itself, with links resolved. */
  readonly path: string;
  /** Undefined if there is no such file. */
  readonly text: string | undefined;
  /** Whether the path is a link, because its owner keeps the file elsewhere. */
  readonly isLinked: boolean;
}

/** @throws Error if the file exists and cannot be read */
export function readSettingsFile(path: string): SettingsFile {
  try {
    const file = realpathSync(path);
    return { path: file, text: decodeText(readFileSync(file), 'it'), isLinked: lstatSync(path).isSymbolicLink() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { path, text: undefined, isLinked: false };
    throw new Error(`${path} cannot be read (${message}): it was left as it is.`, { cause: error });
  }
}

/**
 * Writes the file atomically, readable only by its owner because it contains a token.
 * @throws Error if the file was changed since it was read
 */
export function writeSettingsFile({ path, text }: SettingsFile, changed: string): void {
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
export function removeSettingsFile(file: SettingsFile): void {
  requireUnchanged(file);
  rmSync(file.path);
}

function requireUnchanged({ path, text }: Pick<SettingsFile, 'path' | 'text'>): void {
  if (readSettingsFile(path).text !== text) throw new Error(`${path} was changed meanwhile: try again.`);
}
