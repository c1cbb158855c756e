import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '@parleyhq/core';
import type { StoredRow, StoredTable, TableSource } from '@parleyhq/store-kit';
import { type Database, lookUp, toStoreError } from './database.ts';
import { lockDirectory } from './lock.ts';
import { requireCurrent } from './migrate.ts';
import { openReadOnly } from './open.ts';

const chunkRows = 256;

/** Columns that give the order in which rows were written. Tables without row ids have none and need none. */
const order: Readonly<Partial<Record<StoredTable, string>>> = {
  sessions: 'key',
  events: 'session, seq',
  records: 'rowid',
  grants: 'rowid',
  tokens: 'rowid',
  audit: 'rowid',
};

/** Reads whole tables, to copy them to another kind of store. Nothing can write them meanwhile. */
export class TableReader implements TableSource {
  readonly #db: Database;
  readonly #unlock: () => void;

  constructor(db: Database, unlock: () => void) {
    this.#db = db;
    this.#unlock = unlock;
  }

  *read(table: StoredTable): Iterable<readonly StoredRow[]> {
    const by = order[table];
    const rows = this.#db.prepare<[], StoredRow>(`select * from ${table}${by ? ` order by ${by}` : ''}`);
    let chunk: StoredRow[] = [];
    for (const row of rows.iterate()) {
      if (chunk.push(row) < chunkRows) continue;
      yield chunk;
      chunk = [];
    }
    if (chunk.length > 0) yield chunk;
  }

  readLog(session: number): readonly string[] {
    const texts = this.#db.prepare<[number], string>('select text from events where session = ? order by seq').pluck();
    return lookUp(() => texts.all(session));
  }

  close(): void {
    this.#db.close();
    this.#unlock();
  }
}

/**
 * Opens a database whose server has ended, and keeps a server from starting until it is closed.
 * @throws StoreError `busy` if a server runs, `failed` if there is no database that this release can read
 */
export function openTableReader(path: string): TableReader {
  if (!existsSync(path)) throw new StoreError('failed', `There is no Parley database at ${path}.`);
  const unlock = lockDirectory(dirname(path));
  try {
    const db = openReadOnly(path);
    try {
      requireCurrent(db);
      return new TableReader(db, unlock);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    unlock();
    throw toStoreError(error);
  }
}
