import type { Append, EventStore, GrantNote, GrantStore, Store } from '@parleyhq/core';
import type { Database } from '../../src/store/sqlite/database.ts';
import { isMeantEvent, isMeantRecord, type Kill, type Phase } from './kill.ts';

/** Ends this very process by SIGKILL at the moment it was told: nothing after it runs, nothing is flushed. */
export class Killer {
  #kill: Kill | undefined;
  #seen = 0;

  arm(kill: Kill | undefined): void {
    this.#kill = kill;
    this.#seen = 0;
  }

  /** A place in the story's code. */
  pass(place: string): void {
    if (this.#kill?.place === place) this.#count();
  }

  /** The same store, with the moments around each commit. */
  wrap(store: Store, db: Database): Store {
    this.#watchCommits(db);
    const { events } = store;
    const append = async (change: Append): Promise<void> => {
      if (this.#isMeant('before commit', change)) this.#count();
      await events.append(change);
      if (this.#isMeant('after commit', change)) this.#count();
      // Before anything that what is told now may set going: that waits for a later turn of the loop.
      if (this.#isMeant('after broadcast', change)) setImmediate(() => this.#count());
    };
    const wrapped: EventStore = {
      append,
      read: (...range) => events.read(...range),
      watch: (listener) => events.watch(listener),
      close: () => events.close(),
    };
    return { ...store, events: wrapped, grants: this.#wrapGrants(store.grants) };
  }

  /** A note on a grant is a record of the commit that changes the grant. */
  #wrapGrants(grants: GrantStore): GrantStore {
    const around = async <T>(note: GrantNote | undefined, write: () => Promise<T>): Promise<T> => {
      const isMeant = (phase: Phase) => this.#kill?.phase === phase && note && isMeantRecord(this.#kill, note.key);
      if (isMeant('before commit')) this.#count();
      const value = await write();
      if (isMeant('after commit')) this.#count();
      if (isMeant('after broadcast')) setImmediate(() => this.#count());
      return value;
    };
    return {
      put: (grant, note) => around(note, () => grants.put(grant, note)),
      take: (wish, now, note) => around(note, () => grants.take(wish, now, note)),
      list: (now, filter) => grants.list(now, filter),
      revoke: (which) => grants.revoke(which),
    };
  }

  /** Within the transaction: the row is written, and nothing is committed. */
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

  #isMeant(phase: Phase, { events, records = [] }: Append): boolean {
    const kill = this.#kill;
    if (kill?.phase !== phase) return false;
    return events.some(({ text }) => isMeantEvent(kill, text)) || records.some(({ key }) => isMeantRecord(kill, key));
  }

  #count(): void {
    this.#seen += 1;
    if (this.#seen === (this.#kill?.nth ?? 1)) process.kill(process.pid, 'SIGKILL');
  }
}
