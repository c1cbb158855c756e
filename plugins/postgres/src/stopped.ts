import { lookUp, type Sql } from './database.ts';

/**
 * Ends transactions that have waited five seconds for the values of a statement, because their node was stopped just then. The
 * database counts them as active, so its own time limits do not apply, and their locked rows would block all nodes.
 * @throws StoreError
 */
export async function endStopped(sql: Sql): Promise<void> {
  await lookUp(
    () => sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'parley' and datname = current_database() and usename = current_user
        and state = 'active' and wait_event = 'ClientRead' and backend_xid is not null
        and state_change < clock_timestamp() - interval '5 s'`,
  );
}
