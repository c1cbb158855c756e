import { dirname } from 'node:path';
import type { Store } from '@parleyhq/core';
import { CommitQueue } from '@parleyhq/store-kit';
import { Audit } from './sqlite/audit.ts';
import { type Database, toStoreError } from './sqlite/database.ts';
import { Deliveries, Devices } from './sqlite/deliveries.ts';
import { EpochMark } from './sqlite/epoch-mark.ts';
import { EventLog } from './sqlite/event-log.ts';
import { Grants } from './sqlite/grants.ts';
import { Links } from './sqlite/links.ts';
import { lockDirectory } from './sqlite/lock.ts';
import { type Durability, openDatabase } from './sqlite/open.ts';
import { Outside } from './sqlite/outside.ts';
import { PasskeyRows, Passkeys } from './sqlite/passkeys.ts';
import { Records } from './sqlite/records.ts';
import { SessionTable } from './sqlite/session-table.ts';
import { Sessions } from './sqlite/sessions.ts';
import { Statistics } from './sqlite/statistics.ts';
import { Credentials, Logins, Tokens } from './sqlite/tokens-and-logins.ts';
import { PluginState } from './sqlite/values.ts';

export interface SqliteOptions {
  /** Whether a commit waits for the disk: `full` by default (DUR8). */
  readonly durability?: Durability;
}

/**
 * Opens the database at `path`, creating it if needed. The process holds its directory until the store is closed (DUR9).
 * @throws StoreError `busy` if another process has the directory, `failed` if the database is newer or damaged
 */
export function openSqliteStore(path: string, options: SqliteOptions = {}): Store {
  const unlock = lockDirectory(dirname(path));
  try {
    return serveDatabase(openDatabase(path, options.durability), unlock);
  } catch (error) {
    unlock();
    throw toStoreError(error);
  }
}

/** Returns the store of an open database; closing it finally calls `onClose`. */
export function serveDatabase(db: Database, onClose: () => void = () => {}): Store {
  const mark = new EpochMark(db);
  const table = new SessionTable(db, mark);
  const queue = new CommitQueue(makeTransact(db, table, mark));
  const records = new Records(db);
  const audit = new Audit(db);
  const credentials = new Credentials(db);
  const passkeys = new PasskeyRows(db);
  const grants = new Grants(db, { queue, table, records, audit, credentials, passkeys });
  const outside = new Outside(db);
  const sessions = new Sessions(queue, { table, audit, credentials });
  const log = new EventLog(db, { queue, table, mark, records, grants, audit, credentials, outside, passkeys });
  return {
    epoch: mark.epoch,
    isRewound: mark.isRewound,
    events: log,
    sessions,
    heads: sessions,
    index: log,
    grants,
    pluginState: new PluginState(db, queue),
    logins: new Logins(db, queue, audit),
    tokens: new Tokens(db, queue, audit),
    links: new Links(db, { queue, audit, credentials }),
    passkeys: new Passkeys(db, { queue, audit, credentials }),
    audit,
    outside,
    devices: new Devices(db, queue, credentials),
    deliveries: new Deliveries(db, queue),
    statistics: new Statistics(db, queue, mark),
    async close() {
      await queue.close();
      if (!db.open) return;
      mark.close();
      db.close();
      onClose();
    },
  };
}

/**
 * Makes a function that runs writes in one transaction. BEGIN IMMEDIATE, because SQLite cannot wait for the lock of a transaction
 * that starts as a reader.
 */
function makeTransact(db: Database, table: SessionTable, mark: EpochMark): (writeAll: () => void) => void {
  const transaction = db.transaction((writeAll: () => void) => {
    writeAll();
    table.flush();
  });
  return (writeAll) => {
    try {
      transaction.immediate(writeAll);
      mark.commit();
    } catch (error) {
      table.reset();
      mark.rollBack();
      throw toStoreError(error);
    }
  };
}
