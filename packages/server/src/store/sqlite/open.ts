import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { StoreError } from '@parleyhq/core';
import { connect, type Database, toStoreError } from './database.ts';
import { migrate } from './migrate.ts';

/** `full`: a commit survives a power cut. `normal`: it survives the process; the last ones may go with the power. */
export type Durability = 'full' | 'normal';

const synchronous = { full: 2, normal: 1 } as const;

/** Milliseconds that a foreign lock may hold up the loop; longer waits are the commit queue's, asynchronous. */
const busyTimeoutMs = 20;

/** Opens and migrates a database. @throws StoreError when it is not to be trusted with a promise of durability */
export function openDatabase(path: string, durability: Durability = 'full'): Database {
  try {
    keepPrivate(path);
    const db = connect(path, { timeout: busyTimeoutMs });
    try {
      db.pragma('journal_mode = WAL');
      db.pragma(`synchronous = ${durability}`);
      db.pragma('foreign_keys = ON');
      migrate(db);
      assertPragma(db, 'journal_mode', 'wal');
      assertPragma(db, 'synchronous', synchronous[durability]); // not before: SQLite's own choice comes with its first look
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Milliseconds that another process than the owner waits for a lock: it has no loop that others live in. */
const guestTimeoutMs = 5000;

/** A database that is there, to read it beside its owner. @throws StoreError */
export function openReadOnly(path: string): Database {
  try {
    return connect(path, { readonly: true, fileMustExist: true, timeout: guestTimeoutMs });
  } catch (error) {
    throw toStoreError(error);
  }
}

/** A database that is there, to write a little beside its owner. @throws StoreError */
export function openBeside(path: string): Database {
  try {
    const db = connect(path, { fileMustExist: true, timeout: guestTimeoutMs });
    db.pragma('synchronous = full');
    return db;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** An empty SQLite file whose lock is held until `close`, or undefined if another connection holds it. */
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

/** For the owner alone (SEC8); SQLite gives its side files the rights of the main one. Never opens an existing file: closing it again would drop this process's locks. */
function keepPrivate(path: string): void {
  if (path === ':memory:') return;
  if (existsSync(path)) chmodSync(path, 0o600);
  else closeSync(openSync(path, 'a', 0o600));
}

function assertPragma(db: Database, name: string, wanted: unknown): void {
  const found = db.pragma(name, { simple: true });
  if (found !== wanted) {
    throw new StoreError('failed', `${db.name} cannot be stored safely: ${name} is ${found}, not ${wanted}.`);
  }
}
