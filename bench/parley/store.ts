import type { Store } from '@parleyhq/core';
import { openPostgresStore } from '@parleyhq/plugin-postgres';
import { openSqliteStore } from '@parleyhq/server';

/** Opens the store: a file, or this PostgreSQL database. */
export async function openStore(path: string, database: string | undefined): Promise<Store> {
  return database === undefined ? openSqliteStore(path, { durability: 'full' }) : openPostgresStore(database);
}
