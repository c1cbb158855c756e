import { StoreError } from '@parleyhq/core';
import { migrations } from '../migrations/index.ts';
import type { Database } from './database.ts';

/** Brings a database to this release's schema. Each step is a transaction, so a kill leaves a complete step behind. */
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

/** Whether the schema is up to date. @throws StoreError for a newer database */
export function isCurrent(db: Database): boolean {
  const found = readVersion(db);
  refuseNewer(db, found, migrations.length);
  return found === migrations.length;
}

/** Checks the schema for callers that may not migrate. @throws StoreError if the schema is not this release's */
export function requireCurrent(db: Database): void {
  if (!isCurrent(db)) {
    throw new StoreError('failed', `${db.name} was written by an older Parley: start the server once to update it.`);
  }
}

/** Returns the schema of a database, and the newest one that this release knows. */
export function readSchema(db: Database): { readonly found: number; readonly known: number } {
  return { found: readVersion(db), known: migrations.length };
}

function refuseNewer(db: Database, found: number, known: number): void {
  if (found <= known) return;
  throw new StoreError(
    'failed',
    `${db.name} was written by a newer Parley (schema ${found}; this one knows ${known}). Update Parley, or use another data directory.`,
  );
}

const readVersion = (db: Database): number => Number(db.pragma('user_version', { simple: true }));
