import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { StoreError } from '@parleyhq/core';
import { connect, type Database, toStoreError } from './database.ts';
import { requireCurrent } from './migrate.ts';
import { openReadOnly } from './open.ts';

/** Contents of a backup. */
export interface Backup {
  readonly sessions: number;
  readonly events: number;
  readonly bytes: number;
}

/** Copies all pages at once: in steps, the backup would start over whenever the database is written. */
const allPages = 0x7fff_ffff;

/**
 * Copies a database as of one moment, while its server may be writing it, and checks the copy (OPS6).
 * @param to - the copy: a single file without companions, readable by its owner only. It must not exist.
 * @throws StoreError `failed` if there is no database that this release can read, or the copy is damaged
 */
export async function backUpDatabase(from: string, to: string): Promise<Backup> {
  try {
    closeSync(openSync(to, 'wx', 0o600));
    const source = openReadOnly(from);
    try {
      requireCurrent(source);
      await source.backup(to, { progress: () => allPages });
    } finally {
      source.close();
    }
    return checkCopy(to);
  } catch (error) {
    throw toStoreError(error);
  }
}

function checkCopy(path: string): Backup {
  const db = connect(path, { fileMustExist: true });
  try {
    db.pragma('journal_mode = DELETE'); // the copy then needs no WAL file
    const [fault] = db.pragma('integrity_check') as { integrity_check: string }[];
    if (fault?.integrity_check !== 'ok') throw damaged(fault?.integrity_check ?? 'it cannot be checked');
    const torn = count(
      db,
      'sessions s where s.seq <> (select count(*) from events where session = s.key) or s.seq <> (select coalesce(max(seq), 0) from events where session = s.key)',
    );
    if (torn > 0) throw damaged(`${torn} sessions lack events`);
    return { sessions: count(db, 'sessions'), events: count(db, 'events'), bytes: sync(path) };
  } finally {
    db.close();
  }
}

function damaged(words: string): StoreError {
  return new StoreError('failed', `The copy is damaged, as the database may be: ${words}.`);
}

function count(db: Database, from: string): number {
  return db.prepare<[], number>(`select count(*) from ${from}`).pluck().get() ?? 0;
}

/** Syncs a file to disk. @returns its size in bytes */
function sync(path: string): number {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
  return statSync(path).size;
}
