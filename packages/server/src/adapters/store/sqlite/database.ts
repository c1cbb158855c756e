import { StoreError } from '@parleyhq/core';
import Sqlite from 'better-sqlite3';

export type Database = Sqlite.Database;
export type Statement<Row = unknown> = Sqlite.Statement<unknown[], Row>;

/** @throws SqliteError, which `toStoreError` translates */
export function connect(path: string, options: Sqlite.Options): Database {
  return new Sqlite(path, options);
}

/** Translates SQLite's errors into StoreErrors. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = error instanceof Sqlite.SqliteError ? error.code : '';
  if (code === 'SQLITE_FULL') return new StoreError('full', 'The disk is full.', { cause: error });
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) {
    return new StoreError('busy', 'Another program has locked the database.', { cause: error });
  }
  const reason = /^SQLITE_(CORRUPT|NOTADB)/.test(code) ? 'The database is damaged' : 'The database failed';
  const detail = error instanceof Error ? error.message : String(error);
  return new StoreError('failed', `${reason}: ${detail}`, { cause: error });
}

export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Sqlite.SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE';
}

/** Runs a read. @throws StoreError */
export function lookUp<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Prepares a statement that returns only the first column of its rows. */
export function pluck(db: Database, sql: string): Statement<string> {
  return db.prepare<unknown[], string>(sql).pluck();
}
