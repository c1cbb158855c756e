import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import type { Epoch } from '@parleyhq/core';
import type { Database, Statement } from './database.ts';

/** Width of the number in the mark: fixed, so that one small write updates it in place. The file's identity follows it. */
const numberWidth = 16;
const nameWidth = 48;

/**
 * Detects whether the database is the one that this directory last saw. Events are numbered across all sessions, and a mark file
 * next to the database records the last number released. A database behind its mark was restored, or SQLite silently dropped
 * damaged commits; its history differs, so it gets a new epoch (RPL2). The mark also identifies the database file, because a
 * folder that was copied with its mark is a fork.
 */
export class EpochMark {
  readonly epoch: Epoch;
  /** Whether the database is older than its mark, is a copy or has no mark, so that clients' cursors are void. */
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
    const isUsed = this.#last > 0 || (marked !== undefined && marked.last > 0); // all of its events may be lost
    this.isRewound = isUsed && !isKnown;
    const known = readMeta(db, 'epoch');
    this.epoch = known === undefined || this.isRewound ? randomUUID() : known;
    this.#putFloor = db.prepare(putMeta);
    if (this.epoch !== known) db.prepare(putMeta).run('epoch', this.epoch);
    this.#writeMark();
    if (this.#mark !== undefined) writeSync(this.#mark, name, numberWidth);
  }

  /** Number of the newest event of all sessions, which is its row id. */
  get last(): number {
    return this.#last;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }

  /** Call within a transaction, when events after `last` were undone. */
  backTo(last: number): void {
    this.#last = last;
  }

  /** Call within a transaction that deletes events, so that their numbers are not reused. */
  keepFloor(): void {
    this.#putFloor.run('floor', String(this.#last));
  }

  /** Call after the commit, before anything is released. The commit stands even if the mark cannot be written. */
  commit(): void {
    if (this.#committed === this.#last) return;
    this.#committed = this.#last;
    try {
      this.#writeMark();
    } catch (error) {
      process.emitWarning(`The mark next to the database could not be written: ${error}`);
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
  return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}

/** Reads the mark; undefined if there is none. */
function readMark(file: number): { last: number; name: string } | undefined {
  const text = readFileSync(file, 'latin1');
  return text === '' ? undefined : { last: Number(text.slice(0, numberWidth)), name: text.slice(numberWidth) };
}

/** Returns an identifier of the file itself, not its path. */
function nameFile(path: string): string {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return `${ino} ${birthtimeNs}`.padEnd(nameWidth);
}

function readMeta(db: Database, name: string): string | undefined {
  return db.prepare<unknown[], string>('select value from meta where name = ?').pluck().get(name);
}
