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
  | 'deliveries';

/** A row by its column names. `session` is the `key` of a row of `sessions`. */
export type StoredRow = Readonly<Record<string, string | number | null>>;

/** Whole tables of a store that nobody writes meanwhile. */
export interface TableSource {
  /** All rows of a table, in chunks, in the order in which they were written. */
  read(table: StoredTable): Iterable<readonly StoredRow[]>;
  /** The stored texts of a session, by its key. */
  readLog(session: number): readonly string[];
}
