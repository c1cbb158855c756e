import { StoreError } from '@parley/core';
import { migrations } from '../migrations/index.ts';
import type { Database } from './open.ts';

/** Brings a database to this release's schema, one transaction a step: a kill between two leaves a whole one behind. */
export function migrate(db: Database, steps: readonly string[] = migrations): void {
  const found = readVersion(db);
  if (found > steps.length) {
    throw new StoreError(
      'failed',
      `${db.name} was written by a newer Parley (schema ${found}; this one knows ${steps.length}). Update Parley, or use another data directory.`,
    );
  }
  steps.slice(found).forEach((sql, index) => {
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${found + index + 1}`);
    }).immediate();
  });
}

const readVersion = (db: Database): number => Number(db.pragma('user_version', { simple: true }));
