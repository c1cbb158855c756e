import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type InteractionId,
  requestKey,
  type Seq,
  type Session,
  type SessionId,
  settlementKey,
  voteKey,
} from '@parleyhq/core';
import { type Database, lookUp, type Statement, toStoreError } from './database.ts';
import { requireCurrent } from './migrate.ts';
import { openReadOnly } from './open.ts';

type Row = Pick<Session, 'id' | 'title' | 'seq'> & { readonly key: number; readonly created_at: string };

/** A session as of when it was opened; reads leave out anything appended later. */
export interface LoggedSession extends Pick<Session, 'id' | 'title' | 'createdAt' | 'seq'> {
  readonly key: number;
}

/** The stored texts of a prompt: its request, its votes in order and, once it is settled, its settlement. */
export interface LoggedPrompt {
  readonly sessionId: SessionId;
  readonly request: string;
  readonly votes: readonly string[];
  readonly settlement: string | undefined;
}

const chunkRows = 256;

/** Reads the logs of a database that a server may be writing. Takes no lock and changes nothing. */
export class LogReader {
  readonly #db: Database;
  readonly #find: Statement<Row>;
  readonly #read: Statement<string>;
  readonly #holders: Statement<Pick<Row, 'key' | 'id'>>;
  readonly #event: Statement<string>;
  readonly #votes: Statement<string>;

  constructor(db: Database) {
    this.#db = db;
    this.#find = db.prepare<unknown[], Row>('select key, id, title, created_at, seq from sessions where id = ?');
    this.#read = db
      .prepare<unknown[], string>(
        'select text from events where session = ? and seq > ? and seq <= ? order by seq limit ?',
      )
      .pluck();
    this.#holders = db.prepare<unknown[], Pick<Row, 'key' | 'id'>>(
      'select key, id from sessions where exists (select 1 from events where session = sessions.key and key = ?)',
    );
    this.#event = db.prepare<unknown[], string>('select text from events where session = ? and key = ?').pluck();
    this.#votes = db
      .prepare<unknown[], string>(
        "select text from events where session = ? and key >= ? and key < ? || char(0x10ffff) and json_extract(text, '$.payload.interactionId') = ? order by seq",
      )
      .pluck();
  }

  /** Finds the prompts with an id, in whatever sessions: ids are unique in a session only, if a program chooses them. */
  findPrompts(id: InteractionId): readonly LoggedPrompt[] {
    return lookUp(() =>
      this.#holders.all(requestKey(id)).map(({ key, id: sessionId }) => ({
        sessionId,
        request: this.#event.get(key, requestKey(id)) as string,
        votes: this.#votes.all(key, voteKey(id, ''), voteKey(id, ''), id),
        settlement: this.#event.get(key, settlementKey(id)),
      })),
    );
  }

  find(id: SessionId): LoggedSession | undefined {
    const row = lookUp(() => this.#find.get(id));
    return row && { key: row.key, id: row.id, title: row.title, createdAt: row.created_at, seq: row.seq };
  }

  /** Reads the stored texts in chunks. It holds nothing open between chunks that the server would have to wait for. */
  async *read({ key, seq: end }: LoggedSession): AsyncIterable<readonly string[]> {
    for (let seq: Seq = 0; seq < end; ) {
      const texts = lookUp(() => this.#read.all(key, seq, end, chunkRows));
      if (texts.length === 0) return; // the session was deleted meanwhile
      yield texts;
      seq += texts.length; // no gaps (EVT1)
      await nextTurn();
    }
  }

  close(): void {
    this.#db.close();
  }
}

/** @throws StoreError `failed` if there is no database that this release can read */
export function openLogReader(path: string): LogReader {
  const db = openReadOnly(path);
  try {
    requireCurrent(db);
    return new LogReader(db);
  } catch (error) {
    db.close();
    throw toStoreError(error);
  }
}
