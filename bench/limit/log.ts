import Sqlite from 'better-sqlite3';

export interface Append {
  readonly session: number;
  readonly seq: number;
  readonly text: string;
  onStored(): void;
}

/** The storage of the limit. */
export interface Log {
  append(append: Append): void;
  read(session: number, afterSeq: number, limit: number): string[] | Promise<string[]>;
}

/** A rowid log with an integer session key and `synchronous=FULL`; one transaction for all appends of a tick. */
export class LimitLog implements Log {
  readonly #db: Sqlite.Database;
  readonly #insert: Sqlite.Statement;
  readonly #read: Sqlite.Statement<unknown[], string>;
  readonly #write: Sqlite.Transaction<(appends: readonly Append[]) => void>;
  /** Called after each commit: the stored events can then be sent. */
  readonly #onCommit: () => void;
  #waiting: Append[] = [];

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
    this.#write = this.#db.transaction((appends) => {
      for (const { session, seq, text } of appends) this.#insert.run(session, seq, text);
    });
    this.#onCommit = onCommit;
  }

  append(append: Append): void {
    if (this.#waiting.push(append) === 1) setImmediate(() => this.#commit());
  }

  read(session: number, afterSeq: number, limit: number): string[] {
    return this.#read.all(session, afterSeq, limit);
  }

  #commit(): void {
    const appends = this.#waiting;
    this.#waiting = [];
    this.#write(appends);
    for (const append of appends) append.onStored();
    this.#onCommit();
  }
}
