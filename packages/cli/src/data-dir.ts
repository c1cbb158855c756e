import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readdirSync, readSync, realpathSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Subject, Trust } from './trust.ts';

/** Where a data directory's tokens, log-ins, grants and sessions come from is what its holder decides about (SEC10). */
const words = 'a data directory, whose tokens, grants and sessions would count';

/** What must be trusted before the folder is used; undefined where there is nothing in it yet. */
export function dataDirSubject(dataDir: string): Subject | undefined {
  if (isFresh(dataDir)) return undefined;
  const path = realpathSync(dataDir);
  return { path, words, mark: readStoreId(path) };
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
