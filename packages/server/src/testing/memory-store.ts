import type { Store } from '@parleyhq/core';
import { connect } from '../adapters/store/sqlite/database.ts';
import { migrate } from '../adapters/store/sqlite/migrate.ts';
import { serveDatabase } from '../adapters/store/sqlite.ts';

/** Opens a store that ends with its process: SQLite without a file. */
export function openMemoryStore(): Store {
  const db = connect(':memory:', {});
  db.pragma('foreign_keys = ON');
  migrate(db);
  return serveDatabase(db);
}
