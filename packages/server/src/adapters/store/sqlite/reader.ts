import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  callKey,
  type Delivery,
  type InteractionId,
  requestKey,
  type Seq,
  type Session,
  type SessionId,
  settlementKey,
  type ToolCallId,
  voteKey,
} from '@parleyhq/core';
import { type Database, lookUp, type Statement, toStoreError } from './database.ts';
import { readSchema, requireCurrent } from './migrate.ts';
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

/** How far it got to notify a person of a prompt in one way. */
export interface LoggedDelivery extends Pick<Delivery, 'target' | 'principal' | 'state' | 'at' | 'code' | 'fault'> {}

type DeliveryRow = Omit<LoggedDelivery, 'code' | 'fault'> & { readonly details: string };

const chunkRows = 256;

/** How many ids are enough to say that a beginning is not one. */
const fewIds = 5;

/** Reads the logs of a database that a server may be writing. Takes no lock and changes nothing. */
export class LogReader {
  readonly #db: Database;
  readonly #find: Statement<Row>;
  readonly #read: Statement<string>;
  readonly #holders: Statement<Pick<Row, 'key' | 'id'>>;
  readonly #event: Statement<string>;
  readonly #votes: Statement<string>;
  readonly #beginning: Statement<string>;
  readonly #deliveries: Statement<DeliveryRow>;

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
    this.#beginning = db
      .prepare<unknown[], string>(
        `select id from sessions where id >= ? and id < ? || char(0x10ffff)
        union select json_extract(text, '$.payload.toolCallId') from sessions join events on events.session = sessions.key
          and events.key >= ? and events.key < ? || char(0x10ffff) limit ?`,
      )
      .pluck();
    this.#deliveries = db.prepare<unknown[], DeliveryRow>(
      'select target, principal, state, at, details from deliveries where session = ? and interaction_id = ?',
    );
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

  /** Finds the sessions that have a call with this id. */
  findCall(id: ToolCallId): readonly SessionId[] {
    return lookUp(() => this.#holders.all(callKey(id)).map((row) => row.id));
  }

  /** Finds ids of sessions and calls by how they begin, and no more than a few. */
  findBeginning(start: string): readonly string[] {
    const [session, call] = [start, callKey(start)];
    return lookUp(() => this.#beginning.all(session, session, call, call, fewIds));
  }

  /** Reads what was planned and sent to notify people of a prompt. */
  readDeliveries({ key }: LoggedSession, id: InteractionId): readonly LoggedDelivery[] {
    return lookUp(() =>
      this.#deliveries.all(key, id).map(({ details, ...row }) => {
        const { code, fault } = JSON.parse(details);
        return { ...row, ...(code !== undefined && { code, fault }) };
      }),
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

/** Reads the schema of a database that a server may be using. Takes no lock and changes nothing. @throws StoreError */
export function readDatabaseSchema(path: string): ReturnType<typeof readSchema> {
  const db = openReadOnly(path);
  try {
    return lookUp(() => readSchema(db));
  } finally {
    db.close();
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
