import type { JournalRecord, Json, ResponseId, ToolCallId } from '@parleyhq/core';
import type { Query } from './database.ts';

/** Stores a record in the journal of a call or message. A second record under the same key replaces the first. */
export async function putRecord(sql: Query, session: number, { toolCallId, key, value }: JournalRecord): Promise<void> {
  const text = JSON.stringify(value) ?? 'null';
  await sql`insert into records (session, tool_call_id, key, value) values (${session}, ${toolCallId}, ${key}, ${text})
    on conflict (session, tool_call_id, key) do update set value = excluded.value`;
}

export async function listRecords(
  sql: Query,
  sessionId: string,
  toolCallId: ToolCallId | ResponseId,
): Promise<readonly JournalRecord[]> {
  const rows = await sql<{ key: string; value: string }[]>`
    select records.key, value from records join sessions on sessions.key = session
    where id = ${sessionId} and tool_call_id = ${toolCallId} order by position`;
  return rows.map(({ key, value }) => ({ toolCallId, key, value: JSON.parse(value) as Json }));
}
