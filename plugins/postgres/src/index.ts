import { randomUUID } from 'node:crypto';
import type { AuditRow, SessionId, Store } from '@parleyhq/core';
import { NotifyBus } from './bus.ts';
import { ChangeFeed } from './change-feed.ts';
import { CommitQueue } from './commit-queue.ts';
import { connect, connectToNotify, connectToWrite, lookUp, toStoreError } from './database.ts';
import { Deliveries, Devices } from './deliveries.ts';
import { EventLog } from './event-log.ts';
import { Grants } from './grants.ts';
import { History } from './history.ts';
import { Links } from './links.ts';
import { LoginCodes } from './login-codes.ts';
import { Logins } from './logins.ts';
import { migrate, type Opened, readSchema } from './migrate.ts';
import { NotificationListener } from './notification-listener.ts';
import { Outside } from './outside.ts';
import { Passkeys } from './passkeys.ts';
import { PluginState } from './plugin-state.ts';
import { PoolConnections } from './pool-connections.ts';
import { Sessions } from './sessions.ts';
import { Statistics } from './statistics.ts';
import { Tokens } from './tokens.ts';

export { type Imported, importTables } from './import-tables.ts';

/**
 * Opens a database of a PostgreSQL server, which several nodes may use at the same time (OPS4), and brings it to this release's
 * schema first.
 * @param url - such as postgres://user:password@host/name; neither it nor the password appears in any message
 * @throws StoreError `failed` if it cannot be reached, has a newer schema, or rejects the connection
 */
export async function openPostgresStore(url: string): Promise<Store> {
  const { epoch, identity, isRewound } = await prepare(url);
  const [sql, writing, notifying] = [connect(url), connectToWrite(url), connectToNotify(url)];
  const history = new History(sql, { epoch, identity });
  const writer = { history, name: randomUUID() };
  const ear = new NotificationListener(notifying, url);
  const news = new ChangeFeed(sql, notifying, ear, writer);
  const bus = new NotifyBus(notifying, ear);
  const queue = new CommitQueue(writing, writer, (committed) => news.committed(committed));
  const log = new EventLog(sql, queue);
  const sessions = new Sessions(sql, queue);
  const readAudit = (id: SessionId) =>
    lookUp(() => sql<AuditRow[]>`select n, text, hash from audit where session_id = ${id} order by n`);
  return {
    epoch,
    isRewound,
    events: log,
    index: log,
    sessions,
    heads: sessions,
    grants: new Grants(sql, queue),
    pluginState: new PluginState(sql, queue),
    logins: new Logins(sql, queue),
    tokens: new Tokens(sql, queue),
    links: new Links(sql, queue),
    passkeys: new Passkeys(sql, queue),
    audit: { read: async (id) => [...(await readAudit(id))] },
    outside: new Outside(sql),
    devices: new Devices(sql, queue),
    deliveries: new Deliveries(sql, queue),
    statistics: new Statistics(sql),
    shared: news,
    loginCodes: new LoginCodes(sql, queue),
    bus,
    async close() {
      await queue.close();
      await Promise.all([news.close(), bus.close()]);
      await ear.close();
      await Promise.all([sql, writing, notifying].map((each) => each.end({ timeout: 1 })));
    },
  };
}

/**
 * Reads the schema of a database, 0 if it has none, and the one of this release. Changes nothing.
 * @throws StoreError `failed` if it cannot be reached
 */
export async function readPostgresSchema(url: string): Promise<{ readonly found: number; readonly known: number }> {
  const sql = connect(url);
  try {
    return await lookUp(() => readSchema(sql));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Migrates the database without a time limit, because another node may be migrating it. */
async function prepare(url: string): Promise<Opened> {
  const sql = connect(url, new PoolConnections({ isPatient: true }));
  try {
    return await migrate(sql);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
