import { type Epoch, StoreError } from '@parleyhq/core';
import { type Condition, type Query, type Sql, toStoreError } from './database.ts';

/** Returns the identity of a database's history: it differs for another server, another timeline, and recreated tables. */
export async function readIdentity(sql: Query): Promise<string> {
  const [row] = await sql<{ identity: string }[]>`select ${identity(sql)} as identity`;
  return row?.identity ?? '';
}

/** The timeline is taken from the current WAL file, because the control file shows a promotion later. */
function identity(sql: Query) {
  return sql`(select system_identifier from pg_control_system())
    || '/' || ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer
    || '/' || (select oid from pg_database where datname = current_database()) || '/' || 'events'::regclass::oid`;
}

interface Seen {
  readonly isSame: boolean;
  readonly beats: string | null;
}

/**
 * Detects that the database under a running node was replaced (RPL2): a standby took over, or it was restored to an earlier
 * state. All later writes of this node are then rejected, by the transactions that would have stored them.
 */
export class History {
  readonly #sql: Sql;
  readonly #epoch: Epoch;
  readonly #identity: string;
  /** Id of this node once its lease is stored, and the number of renewals that the database has confirmed. */
  #node: string | undefined;
  #beats = 0;
  #hasLeft = false;
  #isReplaced = false;
  #resolveReplaced: () => void = () => undefined;
  /** Resolves once the database was found to be replaced; the next node to open it creates a new epoch. */
  readonly replaced = new Promise<void>((resolve) => {
    this.#resolveReplaced = resolve;
  });

  constructor(sql: Sql, { epoch, identity }: { readonly epoch: Epoch; readonly identity: string }) {
    this.#sql = sql;
    this.#epoch = epoch;
    this.#identity = identity;
  }

  /** The number of lease renewals that the database has confirmed. */
  get beats(): number {
    return this.#beats;
  }

  /** Notes that the database has stored this renewal of the node's lease. Has no effect once the node has left. */
  confirm(node: string, beats: number): void {
    if (this.#hasLeft) return; // the renewal was under way, and the missing lease would look like a database that was set back
    this.#node = node;
    this.#beats = beats;
  }

  /** Notes that this node gives up its lease. */
  leave(): void {
    this.#hasLeft = true;
    this.#node = undefined;
  }

  /** A condition for statements: the database is still the one this node opened. If it fails, `require` reports the error. */
  holds(sql: Query): Condition {
    const confirmed = this.#node === undefined ? 0 : this.#beats;
    return sql`${this.#isSame(sql)} and coalesce((select beats from nodes where id = ${this.#node ?? ''}), 0) >= ${confirmed}`;
  }

  /** Requires that the database is still the same. @throws StoreError `failed` if it was replaced or cannot be reached */
  async require(sql: Query): Promise<void> {
    const [node, confirmed] = [this.#node, this.#beats];
    const [seen] = await sql<Seen[]>`
      select ${this.#isSame(sql)} as "isSame", (select beats from nodes where id = ${node ?? ''}) as beats`;
    const isSetBack = node !== undefined && node === this.#node && Number(seen?.beats ?? 0) < confirmed;
    if (seen?.isSame && !isSetBack) return;
    await this.#giveUp();
    throw new StoreError('failed', 'The database is not the one that this node knew.');
  }

  #isSame(sql: Query): Condition {
    return sql`${identity(sql)} = ${this.#identity} and 2 = (select count(*) from meta
      where (name = 'epoch' and value = ${this.#epoch}) or (name = 'identity' and value = ${this.#identity}))`;
  }

  /** Ends the epoch in the database if no other node has; the next node to open the database creates a new one. */
  async #giveUp(): Promise<void> {
    if (this.#isReplaced) return;
    this.#isReplaced = true;
    try {
      await this.#sql`
        update meta set value = '' where name = 'identity'
        and exists (select 1 from meta where name = 'epoch' and value = ${this.#epoch})`;
      this.#resolveReplaced();
    } catch (error) {
      this.#isReplaced = false; // the next check detects it again
      throw toStoreError(error);
    }
  }
}
