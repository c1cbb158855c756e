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

/** Explains to the person who decides about trust what using a data directory means (SEC10). */
const words = 'a data directory, whose tokens, grants and sessions would count';

/** What must be trusted before the folder is used; undefined if it is empty or does not exist. */
export function dataDirSubject(dataDir: string): Subject | undefined {
  if (isFresh(dataDir)) return undefined;
  const path = realpathSync(dataDir);
  return { path, words, mark: readStoreId(path) };
}

/** Whether the user named or trusts the data directory: anybody could have put a folder here, with a server key of their own. */
export function isOwnDataDir(
  { dataDir, isDataDirNamed }: { readonly dataDir: string; readonly isDataDirNamed: boolean },
  trust: Trust,
): boolean {
  if (isDataDirNamed) return true;
  const subject = dataDirSubject(dataDir);
  return subject !== undefined && trust.knows(subject);
}

/** Refuses a data directory behind a link in the current folder, because it could redirect writes. @throws SettingsError */
export function refuseLinks(dataDir: string, cwd: string): void {
  const parts = relative(cwd, dataDir).split(sep);
  const paths = parts[0] === '..' ? [dataDir] : parts.map((_, index) => join(cwd, ...parts.slice(0, index + 1)));
  const link = paths.find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink());
  if (link === undefined) return;
  throw new SettingsError(`${link} is a link: to use the folder that it leads to, name it with --data-dir.`);
}

/** Records that a data directory which this command created, or was allowed to use, is trusted. Call while its store is open. */
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

/** Creates a random id, so that somebody who plants another folder at the same path cannot guess it. */
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
