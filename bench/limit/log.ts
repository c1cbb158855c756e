import Sqlite from 'better-sqlite3';

interface Entry {
  readonly session: number;
  readonly seq: number;
  readonly text: string;
  onStored(): void;
}

/** A rowid log with an integer session key, FULL, one transaction for all appends of a loop turn. */
export class LimitLog {
  readonly #db: Sqlite.Database;
  readonly #insert: Sqlite.Statement;
  readonly #read: Sqlite.Statement<unknown[], string>;
  readonly #write: Sqlite.Transaction<(entries: readonly Entry[]) => void>;
  /** After each commit: the time for what was stored to leave. */
  readonly #onCommit: () => void;
  #waiting: Entry[] = [];

  constructor(path: string, onCommit: () => void) {
    this.#db = new Sqlite(path);
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.exec(
      'create table events (id integer primary key, session integer not null, seq integer not null, text text not null, unique (session, seq))',
    );
    this.#insert = this.#db.prepare('insert into events (session, seq, text) values (?, ?, ?)');
    this.#read = this.#db
      .prepare<unknown[], string>('select text from events where session = ? and seq > ? order by seq limit ?')
      .pluck();
    this.#write = this.#db.transaction((entries) => {
      for (const { session, seq, text } of entries) this.#insert.run(session, seq, text);
    });
    this.#onCommit = onCommit;
  }

  append(entry: Entry): void {
    if (this.#waiting.push(entry) === 1) setImmediate(() => this.#commit());
  }

  read(session: number, afterSeq: number, limit: number): string[] {
    return this.#read.all(session, afterSeq, limit);
  }

  #commit(): void {
    const entries = this.#waiting;
    this.#waiting = [];
    this.#write(entries);
    for (const entry of entries) entry.onStored();
    this.#onCommit();
  }
}
