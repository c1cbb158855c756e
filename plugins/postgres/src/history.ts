import { type Epoch, StoreError } from '@parleyhq/core';
import { type Condition, type Query, type Sql, toStoreError } from './database.ts';

/** Names one history of a database: another server, another timeline, and tables that were made anew have another. */
export async function readIdentity(sql: Query): Promise<string> {
  const [row] = await sql<{ identity: string }[]>`select ${identity(sql)} as identity`;
  return row?.identity ?? '';
}

/** The timeline is that of what is written now: the control file learns of a promotion later. */
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
 * Notices that the database under a running node is not the one that it knew (RPL2): a standby took its place, or it was
 * restored or set back. Whatever this node would store is refused then, in the transaction that would have stored it.
 */
export class History {
  readonly #sql: Sql;
  readonly #epoch: Epoch;
  readonly #identity: string;
  /** This node, once it has said that it lives, and how often the database has confirmed that. */
  #node: string | undefined;
  #beats = 0;
  #isReplaced = false;
  #tell: () => void = () => undefined;
  /** Resolves once the database was found to be another; whoever opens it then finds a new epoch. */
  readonly replaced = new Promise<void>((resolve) => {
    this.#tell = resolve;
  });

  constructor(sql: Sql, { epoch, identity }: { readonly epoch: Epoch; readonly identity: string }) {
    this.#sql = sql;
    this.#epoch = epoch;
    this.#identity = identity;
  }

  /** How often the database has confirmed that this node lives. */
  get beats(): number {
    return this.#beats;
  }

  /** The database has stored that this node lives, as often as that. */
  confirm(node: string, beats: number): void {
    this.#node = node;
    this.#beats = beats;
  }

  /** This node takes back that it lives. */
  leave(): void {
    this.#node = undefined;
  }

  /** Whether it is the database that this node knew. Where it is not, `require` says so. */
  holds(sql: Query): Condition {
    const confirmed = this.#node === undefined ? 0 : this.#beats;
    return sql`${this.#isSame(sql)} and coalesce((select beats from nodes where id = ${this.#node ?? ''}), 0) >= ${confirmed}`;
  }

  /** @throws StoreError `failed` where it is another database, or cannot be asked */
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

  /** The first node to find it out says in the database that its epoch is over; the first to open it again gives it another. */
  async #giveUp(): Promise<void> {
    if (this.#isReplaced) return;
    this.#isReplaced = true;
    try {
      await this.#sql`
        update meta set value = '' where name = 'identity'
        and exists (select 1 from meta where name = 'epoch' and value = ${this.#epoch})`;
      this.#tell();
    } catch (error) {
      this.#isReplaced = false; // to be found out again
      throw toStoreError(error);
    }
  }
}
