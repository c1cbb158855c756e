import { openTableReader } from '@parleyhq/server';
import { toJsonLine, toLine } from '../io/line.ts';
import { type Flags, SettingsError } from '../settings/settings.ts';
import { findDatabase } from '../store/open-store.ts';

/**
 * `parley migrate`: copies the sessions of a data directory into a PostgreSQL database, and checks that every copied log folds
 * to the same state (OPS6). The source is not changed.
 * @throws SettingsError, StoreError
 */
export async function migrateStore(dataDir: string, url: string, { json }: Pick<Flags, 'json'>): Promise<void> {
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new SettingsError('parley migrate copies to PostgreSQL: give an address such as postgres://user@host/name.');
  const source = openTableReader(findDatabase({ dataDir, store: undefined }, 'migrate'));
  try {
    const { importTables } = await import('@parleyhq/plugin-postgres');
    const copied = await importTables(url, source);
    process.stdout.write(
      json
        ? toJsonLine(copied)
        : toLine(
            `${copied.sessions} ${copied.sessions === 1 ? 'session' : 'sessions'} and ${copied.events} ${copied.events === 1 ? 'event' : 'events'} are in the database, and every log was read back and compared. Start servers with --store; ${dataDir} is as it was, and no longer needed for sessions.`,
          ),
    );
  } finally {
    source.close();
  }
}
