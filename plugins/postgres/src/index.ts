import { randomUUID } from 'node:crypto';
import type { AuditRow, SessionId, Store } from '@parleyhq/core';
import { NotifyBus } from './bus.ts';
import { CommitQueue } from './commit-queue.ts';
import { connect, lookUp, toStoreError } from './database.ts';
import { EventLog } from './event-log.ts';
import { Grants } from './grants.ts';
import { History } from './history.ts';
import { Logins } from './logins.ts';
import { migrate } from './migrate.ts';
import { News } from './news.ts';
import { Outside } from './outside.ts';
import { PluginState } from './plugin-state.ts';
import { Deliveries, Devices } from './reach.ts';
import { Sessions } from './sessions.ts';
import { Tokens } from './tokens.ts';

export { type Imported, importTables } from './import-tables.ts';

/**
 * Opens a database of a PostgreSQL server, bringing it to this release's schema first (OPS4).
 * @param url - as postgres://user:password@host/name. Neither it nor the password is in any message.
 * @throws StoreError `failed` if it cannot be reached, is newer, or refuses us
 */
export async function openPostgresStore(url: string): Promise<Store> {
  const sql = connect(url);
  try {
    const { epoch, identity, isRewound } = await migrate(sql);
    const history = new History(sql, { epoch, identity });
    const writer = { history, name: randomUUID() };
    const news = new News(sql, writer);
    const bus = new NotifyBus(sql);
    const queue = new CommitQueue(sql, writer, (group) => news.committed(group));
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
      audit: { read: async (id) => [...(await readAudit(id))] },
      outside: new Outside(sql),
      devices: new Devices(sql, queue),
      deliveries: new Deliveries(sql, queue),
      shared: news,
      bus,
      async close() {
        await queue.close();
        await Promise.all([news.close(), bus.close()]);
        await sql.end({ timeout: 1 });
      },
    };
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw toStoreError(error);
  }
}
