import type { Json, PluginStateStore, SessionId } from '@parleyhq/core';
import type { CommitQueue } from '@parleyhq/store-kit';
import { type Database, lookUp, type Statement } from './database.ts';

/** The session id of values that belong to the whole server; no session has an empty id. */
const wholeServer = '';

/** Plugin state; deleted with its session. */
export class PluginState implements PluginStateStore {
  readonly #queue: CommitQueue;
  readonly #get: Statement<{ value: string }>;
  readonly #set: Statement;
  readonly #delete: Statement;

  constructor(db: Database, queue: CommitQueue) {
    this.#queue = queue;
    this.#get = db.prepare('select value from plugin_state where session_id = ? and plugin = ? and key = ?');
    this.#set = db.prepare(
      `insert into plugin_state (session_id, plugin, key, value) values (?, ?, ?, ?)
       on conflict do update set value = excluded.value`,
    );
    this.#delete = db.prepare('delete from plugin_state where session_id = ? and plugin = ? and key = ?');
  }

  async get(plugin: string, sessionId: SessionId | undefined, key: string): Promise<Json | undefined> {
    return lookUp(() => {
      const row = this.#get.get(sessionId ?? wholeServer, plugin, key);
      return row && (JSON.parse(row.value) as Json);
    });
  }

  async set(plugin: string, sessionId: SessionId | undefined, key: string, value: Json | undefined): Promise<void> {
    const text = JSON.stringify(value);
    return this.#queue.write(() => {
      if (text === undefined) this.#delete.run(sessionId ?? wholeServer, plugin, key);
      else this.#set.run(sessionId ?? wholeServer, plugin, key, text);
    });
  }
}
