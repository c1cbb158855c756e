import { chmodSync, closeSync, existsSync, lstatSync, openSync } from 'node:fs';
import { StoreError } from '@parleyhq/core';
import { connect, type Database, toStoreError } from './database.ts';
import { migrate } from './migrate.ts';

/** `full`: a commit survives a power cut. `normal`: it survives the process, but a power cut may lose the last ones. */
export type Durability = 'full' | 'normal';

const synchronous = { full: 2, normal: 1 } as const;

/** How long another process's lock may block the event loop, in ms. The commit queue waits longer, asynchronously. */
const busyTimeoutMs = 20;

/** Opens and migrates a database. @throws StoreError if it cannot guarantee durability */
export function openDatabase(path: string, durability: Durability = 'full'): Database {
  try {
    refuseLoss(path);
    keepPrivate(path);
    const db = connect(path, { timeout: busyTimeoutMs });
    try {
      db.pragma('journal_mode = WAL');
      db.pragma(`synchronous = ${durability}`);
      db.pragma('foreign_keys = ON');
      migrate(db);
      assertPragma(db, 'journal_mode', 'wal');
      assertPragma(db, 'synchronous', synchronous[durability]); // not earlier: SQLite applies its default on first access
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw toStoreError(error);
  }
}

/** How long a process other than the owner waits for a lock, in ms. It has no event loop to keep free. */
const guestTimeoutMs = 5000;

/** Opens an existing database for reading while its owner may be writing. @throws StoreError */
export function openReadOnly(path: string): Database {
  try {
    requireFiles(path);
    return connect(path, { readonly: true, fileMustExist: true, timeout: guestTimeoutMs });
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Opens an existing database for small writes while its owner may be using it. @throws StoreError */
export function openForGuest(path: string): Database {
  try {
    requireFiles(path);
    const db = connect(path, { fileMustExist: true, timeout: guestTimeoutMs });
    db.pragma('synchronous = full');
    return db;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Locks an empty SQLite file until `close`. Returns undefined if another connection holds the lock. */
export function holdLock(path: string): Database | undefined {
  keepPrivate(path);
  const db = connect(path, { timeout: 0 });
  try {
    db.exec('begin exclusive');
    return db;
  } catch (error) {
    db.close();
    const failure = toStoreError(error);
    if (failure.code === 'busy') return undefined;
    throw failure;
  }
}

/**
 * Makes the file private (SEC8); SQLite's side files inherit its mode. It never opens an existing file, because closing it would
 * release this process's locks.
 */
function keepPrivate(path: string): void {
  if (path === ':memory:') return;
  requireFiles(path);
  if (existsSync(path)) chmodSync(path, 0o600);
  else closeSync(openSync(path, 'a', 0o600));
}

/**
 * Checks that the files are regular ones: somebody else who may write to the folder must not choose which file of ours is opened
 * or made private, and a pipe would block.
 * @throws StoreError
 */
function requireFiles(path: string): void {
  for (const file of ['', '-wal', '-shm', '-journal', '.mark'].map((ending) => `${path}${ending}`)) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || found.isFile()) continue;
    const fault = found.isSymbolicLink() ? 'a link, which Parley does not follow' : 'not a file';
    throw new StoreError('failed', `${file} is ${fault}.`);
  }
}

/** Refuses to replace a lost database silently by an empty one; what is left of it is kept. @throws StoreError */
function refuseLoss(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isThere = found !== undefined && (found.size > 0 || !found.isFile());
  const trace = [`${path}.mark`, `${path}-wal`].find(existsSync);
  if (isThere || trace === undefined) return;
  const fault = found === undefined ? 'missing' : 'empty';
  throw new StoreError(
    'failed',
    `${path} is ${fault}, but ${trace} belongs to a database. Restore it, or remove ${trace} to begin with an empty one.`,
  );
}

function assertPragma(db: Database, name: string, wanted: unknown): void {
  const found = db.pragma(name, { simple: true });
  if (found !== wanted) {
    throw new StoreError('failed', `${db.name} cannot be stored safely: ${name} is ${found}, not ${wanted}.`);
  }
}
