import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type SessionId, type Store, StoreError } from '@parleyhq/core';
import { openSqliteStore, openTokenFile, type TokenFile } from '@parleyhq/server';
import { type Settings, SettingsError } from '../settings/settings.ts';

/**
 * Where the sessions are: in the data directory, or in the database that `--store` names (OPS4).
 * @throws SettingsError where the folder itself is unusable; StoreError for anything else
 */
export async function openStore({ dataDir, durability, store }: Settings): Promise<Store> {
  try {
    if (store === undefined) return openSqliteStore(join(dataDir, 'parley.db'), { durability });
    mkdirSync(dataDir, { recursive: true, mode: 0o700 }); // for the keys of this server
    return await openPostgres(store);
  } catch (error) {
    const isFolder = error instanceof StoreError && error.cause instanceof Error && 'syscall' in error.cause;
    throw isFolder ? new SettingsError(`--data-dir: ${error.message}`, { cause: error }) : error;
  }
}

/** Where files of answers are (PLG13). */
export function findFilesDir({ dataDir, filesDir }: Pick<Settings, 'dataDir' | 'filesDir'>): string {
  return filesDir === undefined ? join(dataDir, 'files') : resolve(filesDir);
}

/** Tokens and logins of a store, for commands beside its servers. */
export type TokenPlace = Pick<TokenFile, 'tokens' | 'logins' | 'close'> & {
  hasSession(id: SessionId): Promise<boolean>;
};

/** @throws StoreError as `openTokenFile` does, or where the database cannot be reached */
export async function openTokens({ dataDir, store }: Settings): Promise<TokenPlace> {
  if (store === undefined) {
    const file = openTokenFile(dataDir);
    return { ...file, hasSession: async (id) => file.hasSession(id) };
  }
  const { tokens, logins, sessions, close } = await openPostgres(store);
  return { tokens, logins, hasSession: async (id) => (await sessions.get(id)) !== undefined, close };
}

/** For what reads the file of a data directory. @throws SettingsError */
export function requireFile({ store }: Pick<Settings, 'store'>, command: string): void {
  if (store === undefined) return;
  throw new SettingsError(
    `parley ${command} reads a data directory, and these sessions are in PostgreSQL (PARLEY_STORE).`,
  );
}

/** The file of a data directory, for commands that read it beside a server. @throws SettingsError where there is none */
export function findDatabase(settings: Pick<Settings, 'dataDir' | 'store'>, command: string): string {
  requireFile(settings, command);
  const database = join(settings.dataDir, 'parley.db');
  if (existsSync(database)) return database;
  throw new SettingsError(`There is no Parley database in ${settings.dataDir}: name its folder with --data-dir.`);
}

/** Loaded where it is asked for. */
async function openPostgres(url: string): Promise<Store> {
  const { openPostgresStore } = await import('@parleyhq/plugin-postgres');
  return openPostgresStore(url);
}
