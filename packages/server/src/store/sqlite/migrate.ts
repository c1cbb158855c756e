import { StoreError } from '@parleyhq/core';
import { migrations } from '../migrations/index.ts';
import type { Database } from './database.ts';

/** Brings a database to this release's schema, one transaction a step: a kill between two leaves a whole one behind. */
export function migrate(db: Database, steps: readonly string[] = migrations): void {
  const found = readVersion(db);
  refuseNewer(db, found, steps.length);
  steps.slice(found).forEach((sql, index) => {
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${found + index + 1}`);
    }).immediate();
  });
}

/** Whether there is nothing to migrate. @throws StoreError for a newer database */
export function isCurrent(db: Database): boolean {
  const found = readVersion(db);
  refuseNewer(db, found, migrations.length);
  return found === migrations.length;
}

/** For those who may not migrate. @throws StoreError where the database is not of this release's schema */
export function requireCurrent(db: Database): void {
  if (!isCurrent(db)) {
    throw new StoreError('failed', `${db.name} was written by an older Parley: start the server once to update it.`);
  }
}

function refuseNewer(db: Database, found: number, known: number): void {
  if (found <= known) return;
  throw new StoreError(
    'failed',
    `${db.name} was written by a newer Parley (schema ${found}; this one knows ${known}). Update Parley, or use another data directory.`,
  );
}

const readVersion = (db: Database): number => Number(db.pragma('user_version', { simple: true }));
