import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkStore, LoginStore, PasskeyStore, SessionId, TokenStore } from '@parleyhq/core';
import { CommitQueue } from '@parleyhq/store-kit';
import { Audit } from './audit.ts';
import { type Database, lookUp, toStoreError } from './database.ts';
import { Links } from './links.ts';
import { lockDirectory } from './lock.ts';
import { isCurrent } from './migrate.ts';
import { openDatabase, openForGuest } from './open.ts';
import { Passkeys } from './passkeys.ts';
import { Credentials, Logins, Tokens } from './tokens-and-logins.ts';

/** The tokens, logins, links and passkeys of a data directory, for processes other than its server. */
export interface TokenFile {
  readonly tokens: TokenStore;
  readonly logins: LoginStore;
  readonly links: LinkStore;
  readonly passkeys: PasskeyStore;
  hasSession(id: SessionId): boolean;
  close(): Promise<void>;
}

/**
 * Opens the database of `directory`, whether or not a server is using it. Creates or migrates it first if needed.
 * @throws StoreError `busy` if a server of an older release is using it, `failed` if it is newer or damaged
 */
export function openTokenFile(directory: string): TokenFile {
  const path = join(directory, 'parley.db');
  if (!isReady(path)) prepare(directory, path);
  const db = openForGuest(path);
  const transaction = db.transaction((writeAll: () => void) => writeAll());
  const queue = new CommitQueue((writeAll) => {
    try {
      transaction.immediate(writeAll);
    } catch (error) {
      throw toStoreError(error);
    }
  });
  const audit = new Audit(db);
  const credentials = new Credentials(db);
  const findSession = db.prepare('select 1 from sessions where id = ?');
  return {
    tokens: new Tokens(db, queue, audit),
    logins: new Logins(db, queue, audit),
    links: new Links(db, { queue, audit, credentials }),
    passkeys: new Passkeys(db, { queue, audit, credentials }),
    hasSession: (id) => lookUp(() => findSession.get(id) !== undefined),
    async close() {
      await queue.close();
      db.close();
    },
  };
}

function isReady(path: string): boolean {
  return existsSync(path) && use(openForGuest(path), isCurrent);
}

/** Creates or migrates the database while holding the directory's lock, so that no server is running. */
function prepare(directory: string, path: string): void {
  const unlock = lockDirectory(directory);
  try {
    use(openDatabase(path), () => undefined);
  } finally {
    unlock();
  }
}

function use<Value>(db: Database, work: (db: Database) => Value): Value {
  try {
    return work(db);
  } finally {
    db.close();
  }
}
