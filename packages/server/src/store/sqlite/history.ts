import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import type { Epoch } from '@parley/core';
import type { Database, Statement } from './open.ts';

/** The mark has one width, so that writing it in place is one small write. */
const markWidth = 16;

/**
 * Whether the database is the one that this directory last saw. Each transaction counts itself in the database, and a
 * mark beside it says how far that count had come before anything left the process. A database that lies behind its mark
 * was restored, or lost what SQLite found damaged in its log without a word: its history is another one, and so is its
 * epoch (RPL2).
 */
export class History {
  readonly epoch: Epoch;
  /** The database lies behind its mark, or has none: what clients remember of it counts no more. */
  readonly isRewound: boolean;
  readonly #count: Statement<number>;
  readonly #mark: number | undefined;
  #commits: number;

  constructor(db: Database) {
    this.#commits = Number(readMeta(db, 'commits') ?? 0);
    this.#mark = db.memory ? undefined : openMark(`${db.name}.mark`);
    const marked = this.#mark === undefined ? this.#commits : readMark(this.#mark);
    this.isRewound = this.#commits > 0 && (marked === undefined || marked > this.#commits);
    const known = readMeta(db, 'epoch');
    this.epoch = known === undefined || this.isRewound ? randomUUID() : known;
    if (this.epoch !== known) writeMeta(db, 'epoch', this.epoch);
    if (known === undefined) writeMeta(db, 'commits', '0');
    this.#writeMark();
    const next =
      "update meta set value = cast(value as integer) + 1 where name = 'commits' returning cast(value as integer)";
    this.#count = db.prepare<unknown[], number>(next).pluck();
  }

  /** Within the transaction, as its last statement. */
  count(): void {
    this.#commits = this.#count.get() as number;
  }

  /** After the commit, before anybody hears of it. What is committed counts, even where the mark cannot be written. */
  mark(): void {
    try {
      this.#writeMark();
    } catch (error) {
      process.emitWarning(`The mark beside the database could not be written: ${error}`);
    }
  }

  close(): void {
    if (this.#mark !== undefined) closeSync(this.#mark);
  }

  #writeMark(): void {
    if (this.#mark !== undefined) writeSync(this.#mark, String(this.#commits).padStart(markWidth), 0);
  }
}

function openMark(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
}

/** Undefined for a mark that was not there. */
function readMark(file: number): number | undefined {
  const buffer = Buffer.alloc(markWidth);
  const length = readSync(file, buffer, 0, markWidth, 0);
  return length === markWidth ? Number(buffer.toString('latin1')) : undefined;
}

function readMeta(db: Database, name: string): string | undefined {
  return db.prepare<unknown[], string>('select value from meta where name = ?').pluck().get(name);
}

function writeMeta(db: Database, name: string, value: string): void {
  db.prepare(
    'insert into meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  ).run(name, value);
}
