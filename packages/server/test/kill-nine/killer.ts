import type { Append, GrantNote, Store } from '@parleyhq/core';
import { FaultyStore } from '@parleyhq/store-kit/testing';
import type { Database } from '../../src/adapters/store/sqlite/database.ts';
import { isMeantEvent, isMeantRecord, type Kill, type Phase } from './kill.ts';

/** Kills this process, or another, with SIGKILL at the given moment: nothing runs or is flushed afterwards. */
export class Killer {
  #kill: Kill | undefined;
  #seen = 0;

  arm(kill: Kill | undefined): void {
    this.#kill = kill;
    this.#seen = 0;
  }

  /** Passes a place in the code of a tool. */
  pass(place: string): void {
    if (this.#kill?.place === place) this.#count();
  }

  /** Wraps a store, with a kill before, inside and after each commit. */
  wrap(store: Store, db: Database): Store {
    this.#watchCommits(db);
    const watched = new FaultyStore(store);
    watched.intercept('events', 'append', (append, change) => this.#around(append, holdsEvent(change)));
    // A note on a grant is a record of the commit that changes the grant.
    watched.intercept('grants', 'put', (put, _, note) => this.#around(put, holdsNote(note)));
    watched.intercept('grants', 'take', (take, _, __, note) => this.#around(take, holdsNote(note)));
    return watched;
  }

  async #around<T>(write: () => Promise<T>, holds: (kill: Kill) => boolean): Promise<T> {
    const isMeant = (phase: Phase) => this.#kill?.phase === phase && holds(this.#kill);
    if (isMeant('before commit')) this.#count();
    const value = await write();
    if (isMeant('after commit')) this.#count();
    // After the broadcast, and before the reactions to it, which wait for a later turn of the event loop.
    if (isMeant('after broadcast')) setImmediate(() => this.#count());
    return value;
  }

  /** Kills inside the transaction: the row is written and not yet committed. */
  #watchCommits(db: Database): void {
    db.function('kill_nine', (kind: unknown, text: unknown) => {
      const kill = this.#kill;
      if (kill?.phase !== 'inside commit') return 0;
      const isMeant = kind === 'event' ? isMeantEvent : isMeantRecord;
      if (isMeant(kill, String(text))) this.#count();
      return 0;
    });
    db.exec(`create temp trigger kill_in_events after insert on main.events
             begin select kill_nine('event', new.text); end`);
    for (const change of ['insert', 'update']) {
      db.exec(`create temp trigger kill_in_records_${change} after ${change} on main.records
               begin select kill_nine('record', new.key); end`);
    }
  }

  #count(): void {
    this.#seen += 1;
    if (this.#seen !== (this.#kill?.nth ?? 1)) return;
    for (const pid of this.#kill?.pids ?? [process.pid]) process.kill(pid, 'SIGKILL');
  }
}

function holdsEvent({ events, records = [] }: Append): (kill: Kill) => boolean {
  return (kill) =>
    events.some(({ text }) => isMeantEvent(kill, text)) || records.some(({ key }) => isMeantRecord(kill, key));
}

function holdsNote(note: GrantNote | undefined): (kill: Kill) => boolean {
  return (kill) => note !== undefined && isMeantRecord(kill, note.key);
}
