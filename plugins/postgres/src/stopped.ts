import { lookUp, type Sql } from './database.ts';

/**
 * Ends transactions whose node has sent a statement without its values for five seconds, as one that was stopped just then: the
 * database takes them for active, so that none of its own time limits counts, and the rows that they locked keep everybody waiting
 * (OPS4). @throws StoreError
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
