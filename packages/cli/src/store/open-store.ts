import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type SessionId, type Store, StoreError } from '@parleyhq/core';
import { openSqliteStore, openTokenFile, readDatabaseSchema, type TokenFile } from '@parleyhq/server';
import { explainedBy } from '../io/topic.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';

/**
 * Opens the store of the sessions: in the data directory, or in the database that `--store` names.
 * @throws SettingsError if the folder itself is unusable; StoreError for anything else
 */
export async function openStore({ dataDir, durability, store }: Settings): Promise<Store> {
  try {
    if (store === undefined) return openSqliteStore(join(dataDir, 'parley.db'), { durability });
    mkdirSync(dataDir, { recursive: true, mode: 0o700 }); // for this server's keys
    return await openPostgres(store);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.cause instanceof Error && 'syscall' in error.cause)
      throw explainedBy('data-not-writable', new SettingsError(`--data-dir: ${error.message}`, { cause: error }));
    throw explainedBy(store === undefined && isNewer(dataDir) ? 'database-newer' : 'database', error);
  }
}

/** Whether a newer release wrote the database. Anything else that is wrong with it was reported already. */
function isNewer(dataDir: string): boolean {
  try {
    const { found, known } = readDatabaseSchema(join(dataDir, 'parley.db'));
    return found > known;
  } catch {
    return false;
  }
}

/** The folder of uploaded files (PLG13). */
export function findFilesDir({ dataDir, filesDir }: Pick<Settings, 'dataDir' | 'filesDir'>): string {
  return filesDir === undefined ? join(dataDir, 'files') : resolve(filesDir);
}

/** Tokens, logins, links and passkeys of a store, for commands that run while its servers may be running. */
export type TokenAccess = Pick<TokenFile, 'tokens' | 'logins' | 'links' | 'passkeys' | 'close'> & {
  hasSession(id: SessionId): Promise<boolean>;
};

/** @throws StoreError as `openTokenFile` does, or if the database cannot be reached or is of an older release */
export async function openTokens({ dataDir, store }: Settings): Promise<TokenAccess> {
  if (store === undefined) {
    const file = openTokenFile(dataDir);
    return { ...file, hasSession: async (id) => file.hasSession(id) };
  }
  await refuseOlder(store);
  const { tokens, logins, links, passkeys, sessions, close } = await openPostgres(store);
  const hasSession = async (id: SessionId) => (await sessions.get(id)) !== undefined;
  return { tokens, logins, links, passkeys, hasSession, close };
}

/** Leaves it to a server to update tables that older nodes may be using. @throws StoreError if they are of an older release */
async function refuseOlder(store: string): Promise<void> {
  const { found, known } = await readSharedSchema(store);
  if (found === 0 || found >= known) return;
  const words = `An older Parley wrote the database (schema ${found}; this release has ${known}): the start of a server updates it.`;
  throw explainedBy('database-older', new StoreError('failed', words));
}

/** What does the same as a command for sessions in PostgreSQL. */
const instead: Readonly<Record<string, string>> = {
  receipt: ': use the page, or GET /api/sessions/<id>/interactions/<interactionId>/receipt',
};

/** Refuses a command that reads the data directory's database if the sessions are in PostgreSQL. @throws SettingsError */
export function requireFile({ store }: Pick<Settings, 'store'>, command: string): void {
  if (store === undefined) return;
  throw new SettingsError(
    `parley ${command} reads a data directory, and these sessions are in PostgreSQL (PARLEY_STORE)${instead[command] ?? '.'}`,
  );
}

/** Finds the database of a data directory; a server may be running on it. @throws SettingsError if there is none */
export function findDatabase(settings: Pick<Settings, 'dataDir' | 'store'>, command: string): string {
  requireFile(settings, command);
  const database = join(settings.dataDir, 'parley.db');
  if (existsSync(database)) return database;
  throw new SettingsError(`There is no Parley database in ${settings.dataDir}: name its folder with --data-dir.`);
}

/** Opens a database that several nodes share. The driver is loaded only then. @throws StoreError */
export async function openPostgres(url: string): Promise<Store> {
  const { openPostgresStore } = await import('@parleyhq/plugin-postgres');
  return openPostgresStore(url);
}

/** Reads the schema of a database in PostgreSQL, and changes nothing. @throws StoreError `failed` if it cannot be reached */
export async function readSharedSchema(url: string): Promise<{ readonly found: number; readonly known: number }> {
  const { readPostgresSchema } = await import('@parleyhq/plugin-postgres');
  return readPostgresSchema(url);
}
