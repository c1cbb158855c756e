import postgres from 'postgres';
import type { Append, Log } from './log.ts';

/** The table of both limits: Parley's, without its keys. */
export const createEvents =
  'create table events (session integer not null, seq integer not null, text text not null, primary key (session, seq))';

/** Stores all events that arrive during an insert with the next one. */
export class PostgresLog implements Log {
  readonly #sql: postgres.Sql;
  readonly #onCommit: () => void;
  #waiting: Append[] = [];
  #isWriting = false;

  private constructor(sql: postgres.Sql, onCommit: () => void) {
    this.#sql = sql;
    this.#onCommit = onCommit;
  }

  static async open(database: string, onCommit: () => void): Promise<PostgresLog> {
    const sql = postgres(database, { max: 2 });
    await sql.unsafe(createEvents);
    return new PostgresLog(sql, onCommit);
  }

  append(append: Append): void {
    if (this.#waiting.push(append) === 1 && !this.#isWriting) setImmediate(() => void this.#write());
  }

  async read(session: number, afterSeq: number, limit: number): Promise<string[]> {
    const rows = await this.#sql<{ text: string }[]>`
      select text from events where session = ${session} and seq > ${afterSeq} order by seq limit ${limit}`;
    return rows.map(({ text }) => text);
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const appends = this.#waiting;
      this.#waiting = [];
      const rows = appends.map(({ session, seq, text }) => ({ session, seq, text }));
      await this.#sql`insert into events ${this.#sql(rows, 'session', 'seq', 'text')}`;
      for (const append of appends) append.onStored();
      this.#onCommit();
    }
    this.#isWriting = false;
  }
}
