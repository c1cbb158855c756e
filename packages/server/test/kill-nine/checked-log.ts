import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** An event as the checker reads it: no type of the payload is taken for granted. */
export interface LoggedEvent {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly turnId?: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface StoredSession {
  readonly row: { readonly seq: number; readonly openCount: number; readonly status: string };
  readonly log: readonly LoggedEvent[];
  /** Seqs of the rows. */
  readonly rows: readonly number[];
  /** Calls of the records. */
  readonly records: readonly string[];
  /** The session's grants. */
  readonly grants: readonly { readonly id: string; readonly key: string; readonly uses: number }[];
}

/** Reads a session straight from the database. */
export function readSession(dataDir: string, sessionId: string): StoredSession {
  const db = new Sqlite(join(dataDir, 'parley.db'), { readonly: true });
  try {
    const row = db.prepare('select key, seq, open_count, status from sessions where id = ?').get(sessionId) as {
      key: number;
      seq: number;
      open_count: number;
      status: string;
    };
    const events = db.prepare('select seq, text from events where session = ? order by seq').all(row.key) as {
      seq: number;
      text: string;
    }[];
    const records = db.prepare('select tool_call_id from records where session = ?').pluck().all(row.key) as string[];
    const grants = db.prepare('select id, key, uses from grants where session_id = ?').all(sessionId);
    return {
      row: { seq: row.seq, openCount: row.open_count, status: row.status },
      log: events.map(({ text }) => JSON.parse(text) as LoggedEvent),
      rows: events.map(({ seq }) => seq),
      records,
      grants: grants as StoredSession['grants'],
    };
  } finally {
    db.close();
  }
}

/** The row that the session's log implies. */
export function fold(log: readonly LoggedEvent[]): StoredSession['row'] {
  const open = new Map<unknown, 'open' | 'pending'>();
  const unsaid = new Set<unknown>();
  let isRunning = false;
  for (const { type, payload } of log) {
    const id = payload.interactionId;
    if (type === 'turn_start') isRunning = true;
    if (type === 'turn_end') isRunning = false;
    if (type === 'interaction_request') open.set(id, 'open');
    if (type === 'interaction_pending') open.set(id, 'pending');
    if (type === 'interaction_response' || type === 'interaction_closed') open.delete(id);
    if (type === 'interaction_response' && payload.late && payload.action !== 'cancel') unsaid.add(`late:${id}`);
    if (type === 'user_message' || type === 'message_queued') unsaid.delete(payload.messageId);
  }
  const isWaiting = [...open.values()].includes('open');
  const status = isRunning ? (isWaiting ? 'waiting' : 'running') : unsaid.size > 0 ? 'running' : 'idle';
  return { seq: log.length, openCount: open.size, status };
}

export function describeLog(log: readonly LoggedEvent[]): string {
  return log.map(({ seq, type, payload }) => `${seq} ${type} ${JSON.stringify(payload).slice(0, 400)}`).join('\n');
}
