/** The tables that make up a store. */
export type StoredTable =
  | 'sessions'
  | 'events'
  | 'records'
  | 'grants'
  | 'plugin_state'
  | 'logins'
  | 'tokens'
  | 'audit'
  | 'outside_calls'
  | 'devices'
  | 'deliveries'
  | 'links'
  | 'passkeys';

/** A row by column name. `session` is the `key` of a row of `sessions`. */
export type StoredRow = Readonly<Record<string, string | number | null>>;

/** The tables of a store that nothing writes meanwhile. */
export interface TableSource {
  /** Reads all rows of a table, in chunks, in the order in which they were written. */
  read(table: StoredTable): Iterable<readonly StoredRow[]>;
  /** Reads the stored texts of a session, by its key. */
  readLog(session: number): readonly string[];
}
