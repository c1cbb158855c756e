import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import type { Epoch } from '@parleyhq/core';
import type { Database, Statement } from './database.ts';

/** The number in the mark has one width, so that writing it in place is one small write. What follows names the file. */
const numberWidth = 16;
const nameWidth = 48;

/**
 * Whether the database is the one that this directory last saw. Events are numbered over all sessions, and a mark beside
 * the database says how far that number had come before anything left the process. A database that lies behind its mark
 * was restored, or lost what SQLite found damaged in its log without a word: its history is another one, and so is its
 * epoch (RPL2). The mark also names the file it was made for: a folder that was copied with its mark is a fork of history.
 */
export class History {
  readonly epoch: Epoch;
  /** The database lies behind its mark, is a copy, or has none: what clients remember of it counts no more. */
  readonly isRewound: boolean;
  readonly #mark: number | undefined;
  readonly #putFloor: Statement;
  #last: number;
  #committed: number;

  constructor(db: Database) {
    this.#last = readLast(db);
    this.#committed = this.#last;
    this.#mark = db.memory ? undefined : openMark(`${db.name}.mark`);
    const name = db.memory ? '' : nameFile(db.name);
    const marked = this.#mark === undefined ? { last: this.#last, name } : readMark(this.#mark);
    const isKnown = marked !== undefined && marked.last <= this.#last && marked.name === name;
    this.isRewound = this.#last > 0 && !isKnown;
    const known = readMeta(db, 'epoch');
    this.epoch = known === undefined || this.isRewound ? randomUUID() : known;
    this.#putFloor = db.prepare(putMeta);
    if (this.epoch !== known) db.prepare(putMeta).run('epoch', this.epoch);
    this.#writeMark();
    if (this.#mark !== undefined) writeSync(this.#mark, name, numberWidth);
  }

  /** The number of the newest event, over all sessions: the log's row id. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** Within a transaction: the events after `last` were taken out again. */
  backTo(last: number): void {
    this.#last = last;
  }

  /** Within a transaction that removes events: numbers of what is gone are not given again. */
  keepFloor(): void {
    this.#putFloor.run('floor', String(this.#last));
  }

  /** After the commit, before anybody hears of it. What is committed counts, even where the mark cannot be written. */
  commit(): void {
    if (this.#committed === this.#last) return;
    this.#committed = this.#last;
    try {
      this.#writeMark();
    } catch (error) {
      process.emitWarning(`The mark beside the database could not be written: ${error}`);
    }
  }

  rollBack(): void {
    this.#last = this.#committed;
  }

  close(): void {
    if (this.#mark !== undefined) closeSync(this.#mark);
  }

  #writeMark(): void {
    if (this.#mark !== undefined) writeSync(this.#mark, String(this.#committed).padStart(numberWidth), 0);
  }
}

const putMeta = 'insert into meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value';

function readLast(db: Database): number {
  const newest = db.prepare<[], number | null>('select max(rowid) from events').pluck().get() ?? 0;
  return Math.max(newest, Number(readMeta(db, 'floor') ?? 0));
}

function openMark(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
}

/** Undefined for a mark that was not there. */
function readMark(file: number): { last: number; name: string } | undefined {
  const text = readFileSync(file, 'latin1');
  return text === '' ? undefined : { last: Number(text.slice(0, numberWidth)), name: text.slice(numberWidth) };
}

/** Another file has another name, also where it has the same path. */
function nameFile(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${birthtimeNs}`.padEnd(nameWidth);
}

function readMeta(db: Database, name: string): string | undefined {
  return db.prepare<unknown[], string>('select value from meta where name = ?').pluck().get(name);
}
