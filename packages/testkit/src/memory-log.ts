import {
  type Append,
  type ChatEvent,
  type GrantNote,
  type GrantStore,
  type JournalRecord,
  type Json,
  resultKey,
  type Session,
  type SessionRecord,
  type Store,
  StoreError,
} from '@parleyhq/core';
import { MemoryGrants } from './memory-grants.ts';

/** What a server needs of its store to run calls. */
export type CallStore = Pick<Store, 'epoch' | 'events' | 'index' | 'heads' | 'grants' | 'pluginState'>;

/** Receives what is stored, before the process that stored it. */
export interface LogWatcher {
  onEvent(event: ChatEvent): void;
  onRecord(toolCallId: string, key: string): void;
}

/** The log of one session in memory, with the records of its calls, its grants and the state of plugins. It outlives a crash. */
export class MemoryLog {
  readonly grants = new MemoryGrants();
  readonly #watcher: LogWatcher;
  readonly #texts: string[] = [];
  readonly #byKey = new Map<string, string>();
  /** Values as JSON, so that nobody holds a reference into the log. */
  readonly #records = new Map<string, Map<string, string>>();
  readonly #state = new Map<string, string>();
  #session: Session;

  constructor(session: Session, watcher: LogWatcher) {
    this.#session = session;
    this.#watcher = watcher;
  }

  get record(): SessionRecord {
    return { session: this.#session, head: undefined };
  }

  /** Whether an event has this key: see `keyOf`. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /**
   * Opens the log for a process. Once that has crashed, it stores nothing more, and whatever it awaits of the log never comes.
   * @param isAlive - whether the process has not crashed
   */
  open(isAlive: () => boolean): CallStore {
    const run = <T>(work: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        if (!isAlive()) return;
        Promise.resolve()
          .then(work) // a call that awaits nothing else continues only after others have run, as with a database
          .then(
            (value) => isAlive() && resolve(value),
            (error: unknown) => isAlive() && reject(error),
          );
      });
    return {
      epoch: 'played',
      events: {
        append: (change) => run(() => this.#append(change)),
        read: (_, afterSeq, limit) => this.#read(afterSeq, limit),
      },
      index: {
        find: (_, ...keys) => run(() => this.#find(keys)),
        records: (_, toolCallId) => run(() => this.#recordsOf(toolCallId)),
      },
      heads: { save: async () => undefined },
      grants: this.#openGrants(run),
      pluginState: {
        get: (...place) => run(() => parse(this.#state.get(JSON.stringify(place)))),
        set: (plugin, sessionId, key, value) =>
          run(() => {
            const place = JSON.stringify([plugin, sessionId, key]);
            if (value === undefined) this.#state.delete(place);
            else this.#state.set(place, JSON.stringify(value));
          }),
      },
    };
  }

  #openGrants(run: <T>(work: () => T) => Promise<T>): GrantStore {
    return {
      put: (grant, note) =>
        run(() => {
          this.#requireOpen(note);
          this.grants.put(grant);
          this.#note(note, grant.scope);
        }),
      take: (choice, now, note) =>
        run(() => {
          this.#requireOpen(note);
          const taken = this.grants.take(choice, now);
          if (taken) this.#note(note, taken.scope);
          return taken;
        }),
      list: (now, filter) => run(() => this.grants.list(now, filter)),
      revoke: (which) =>
        run(() =>
          this.grants.drop(({ id, plugin, scope }) =>
            'id' in which ? id === which.id : plugin === which.plugin && scope !== 'always',
          ),
        ),
    };
  }

  #append({ expectedSeq, events, records = [], endedCalls = [], grants = [], usedGrants, session }: Append): void {
    const isTaken = events.some(({ key }) => key !== undefined && this.#byKey.has(key));
    if (expectedSeq !== this.#texts.length || isTaken) throw new StoreError('conflict', 'The log has grown.');
    const { ids = [], now = 0 } = usedGrants ?? {};
    if (!ids.every((id) => this.grants.holds(id, now))) throw new StoreError('grant_gone', 'A grant was used up.');
    for (const { key, text } of events) {
      this.#texts.push(text);
      if (key !== undefined) this.#byKey.set(key, text);
    }
    for (const record of records) this.#put(record);
    for (const id of endedCalls) this.#records.delete(id);
    for (const grant of grants) this.grants.put(grant);
    for (const id of ids) this.grants.use(id);
    this.#session = session;
    for (const { text } of events) this.#watcher.onEvent(JSON.parse(text));
  }

  async *#read(afterSeq: number, limit = Number.POSITIVE_INFINITY): AsyncIterable<readonly string[]> {
    yield this.#texts.slice(afterSeq, afterSeq + limit);
  }

  #find(keys: readonly string[]): readonly string[] {
    const found = new Set(keys.flatMap((key) => this.#byKey.get(key) ?? []));
    return this.#texts.filter((text) => found.has(text));
  }

  #recordsOf(toolCallId: string): readonly JournalRecord[] {
    const records = this.#records.get(toolCallId) ?? new Map<string, string>();
    return [...records].map(([key, text]) => ({ toolCallId, key, value: JSON.parse(text) as Json }));
  }

  #put({ toolCallId, key, value }: JournalRecord): void {
    const records = this.#records.get(toolCallId) ?? new Map<string, string>();
    this.#records.set(toolCallId, records.set(key, JSON.stringify(value)));
    this.#watcher.onRecord(toolCallId, key);
  }

  #note(note: GrantNote | undefined, value: Json): void {
    if (note) this.#put({ toolCallId: note.toolCallId, key: note.key, value });
  }

  #requireOpen(note: GrantNote | undefined): void {
    if (note && this.#byKey.has(resultKey(note.toolCallId))) throw new StoreError('conflict', 'The call is over.');
  }
}

function parse(text: string | undefined): Json | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Json);
}
