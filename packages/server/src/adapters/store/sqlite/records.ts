import type { JournalRecord, Json, ResponseId, ToolCallId } from '@parleyhq/core';
import type { Database, Statement } from './database.ts';

/** The journals of calls and messages, by the row key of their session. */
export class Records {
  readonly #put: Statement;
  readonly #drop: Statement;
  readonly #list: Statement<{ key: string; value: string }>;

  constructor(db: Database) {
    this.#put = db.prepare(
      `insert into records (session, tool_call_id, key, value) values (?, ?, ?, ?)
       on conflict (session, tool_call_id, key) do update set value = excluded.value`,
    );
    this.#drop = db.prepare('delete from records where session = ? and tool_call_id = ?');
    this.#list = db.prepare('select key, value from records where session = ? and tool_call_id = ? order by rowid');
  }

  /** Call within a write. `text` is the value as JSON. */
  put(session: number, toolCallId: ToolCallId | ResponseId, key: string, text: string): void {
    this.#put.run(session, toolCallId, key, text);
  }

  /** Call within a write. */
  drop(session: number, toolCallId: ToolCallId): void {
    this.#drop.run(session, toolCallId);
  }

  list(session: number, toolCallId: ToolCallId | ResponseId): readonly JournalRecord[] {
    const rows = this.#list.all(session, toolCallId);
    return rows.map(({ key, value }) => ({ toolCallId, key, value: JSON.parse(value) as Json }));
  }
}
