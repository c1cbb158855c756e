import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { decodeText } from '../io/plain-text.ts';

/** The settings file of another program, as it was read. */
export interface SettingsFile {
  /** The file itself, where the path leads through links. */
  readonly path: string;
  /** Undefined where there is no such file. */
  readonly text: string | undefined;
  /** Whether the path leads there through a link, so that somebody keeps the file elsewhere. */
  readonly isLinked: boolean;
}

/** @throws Error where it is there and cannot be read */
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
 * Whole or not at all, and for its owner alone: there is a token in it.
 * @throws Error where somebody else has changed it since it was read
 */
export function writeSettingsFile({ path, text }: SettingsFile, changed: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${randomUUID()}`;
  try {
    writeFileSync(beside, changed, { mode: 0o600, flag: 'wx' });
    requireUnchanged({ path, text });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** @throws Error where somebody else has changed it since it was read */
export function removeSettingsFile(file: SettingsFile): void {
  requireUnchanged(file);
  rmSync(file.path);
}

function requireUnchanged({ path, text }: Pick<SettingsFile, 'path' | 'text'>): void {
  if (readSettingsFile(path).text !== text) throw new Error(`${path} was changed meanwhile: try again.`);
}
