import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join, relative, sep } from 'node:path';
import { SettingsError } from '@parleyhq/server';
import type { Subject, Trust } from './trust.ts';

/** Where a data directory's tokens, log-ins, grants and sessions come from is what its holder decides about (SEC10). */
const words = 'a data directory, whose tokens, grants and sessions would count';

/** What must be trusted before the folder is used; undefined where there is nothing in it yet. */
export function dataDirSubject(dataDir: string): Subject | undefined {
  if (isFresh(dataDir)) return undefined;
  const path = realpathSync(dataDir);
  return { path, words, mark: readStoreId(path) };
}

/** Whether what it says of its server is this user's word: anybody can put a folder here, with a key of theirs. */
export function isOwnDataDir(
  { dataDir, isDataDirNamed }: { readonly dataDir: string; readonly isDataDirNamed: boolean },
  trust: Trust,
): boolean {
  if (isDataDirNamed) return true;
  const subject = dataDirSubject(dataDir);
  return subject !== undefined && trust.knows(subject);
}

/** A link that lies in the current folder does not say where data is written. @throws SettingsError */
export function refuseLinks(dataDir: string, cwd: string): void {
  const parts = relative(cwd, dataDir).split(sep);
  const paths = parts[0] === '..' ? [dataDir] : parts.map((_, index) => join(cwd, ...parts.slice(0, index + 1)));
  const link = paths.find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link === undefined) return;
  throw new SettingsError(`${link} is a link, and nobody named it: to use where it leads, name it with --data-dir.`);
}

/** Trusts a data directory that this command made, or was allowed to use. Call while holding its store. */
export function adoptDataDir(dataDir: string, trust: Trust): void {
  const path = realpathSync(dataDir);
  trust.remember([{ path, words, mark: readStoreId(path) ?? makeStoreId(path) }]);
}

function isFresh(folder: string): boolean {
  return !statSync(folder, { throwIfNoEntry: false }) || readdirSync(folder).length === 0;
}

const idFile = 'parley.id';
const idPattern = /^store:[0-9a-f]{32}$/;

function readStoreId(folder: string): string | undefined {
  try {
    const file = openSync(join(folder, idFile), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const buffer = Buffer.alloc(64);
      const id = buffer.toString('latin1', 0, readSync(file, buffer)).trim();
      return idPattern.test(id) ? id : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Random, so that whoever plants another folder at the same path cannot know it. */
function makeStoreId(folder: string): string {
  const id = `store:${randomBytes(16).toString('hex')}`;
  const file = openSync(
    join(folder, idFile),
    constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
    0o600,
  );
  writeSync(file, `${id}\n`);
  closeSync(file);
  return id;
}
