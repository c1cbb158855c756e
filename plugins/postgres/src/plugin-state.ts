import type { Json, PluginStateStore, SessionId } from '@parleyhq/core';
import type { CommitQueue } from './commit-queue.ts';
import { lookUp, type Sql } from './database.ts';

/** The session id of values that belong to the whole server; no session has an empty id. */
const wholeServer = '';

/** Plugin state, which is deleted with its session. */
export class PluginState implements PluginStateStore {
  readonly #sql: Sql;
  readonly #queue: CommitQueue;

  constructor(sql: Sql, queue: CommitQueue) {
    this.#sql = sql;
    this.#queue = queue;
  }

  async get(plugin: string, sessionId: SessionId | undefined, key: string): Promise<Json | undefined> {
    const [row] = await lookUp(
      () => this.#sql<{ value: string }[]>`select value from plugin_state
        where session_id = ${sessionId ?? wholeServer} and plugin = ${plugin} and key = ${key}`,
    );
    return row && (JSON.parse(row.value) as Json);
  }

  async set(plugin: string, sessionId: SessionId | undefined, key: string, value: Json | undefined): Promise<void> {
    const id = sessionId ?? wholeServer;
    const text = JSON.stringify(value); // at once, so that later changes to the value are not stored
    return this.#queue.write({}, async ({ sql }) => {
      if (text === undefined)
        await sql`delete from plugin_state where session_id = ${id} and plugin = ${plugin} and key = ${key}`;
      else
        await sql`insert into plugin_state (session_id, plugin, key, value) values (${id}, ${plugin}, ${key}, ${text})
          on conflict (session_id, plugin, key) do update set value = excluded.value`;
    });
  }
}
