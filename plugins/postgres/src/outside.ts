import type {
  Append,
  CallKey,
  CallPage,
  Channel,
  OutsideCall,
  OutsideStore,
  SessionId,
  ToolCallId,
} from '@parleyhq/core';
import { requireNewCall } from '@parleyhq/store-kit';
import { lookUp, type Query, type Sql } from './database.ts';

interface Row {
  readonly id: SessionId;
  readonly tool_call_id: ToolCallId;
  readonly principal: string;
}

/** The channels and calls of outside programs. Calls are stored with their events and deleted with their session. */
export class Outside implements OutsideStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async findChannel({ principal, name }: Channel): Promise<SessionId | undefined> {
    const [row] = await lookUp(
      () => this.#sql<Pick<Row, 'id'>[]>`
        select id from sessions where channel_principal = ${principal} and channel = ${name}`,
    );
    return row?.id;
  }

  async channelsOf(principal: string): Promise<readonly SessionId[]> {
    const rows = await lookUp(
      () => this.#sql<Pick<Row, 'id'>[]>`
        select id from sessions where channel_principal = ${principal} and channel is not null order by key`,
    );
    return rows.map(({ id }) => id);
  }

  async findCall(which: CallKey | { toolCallId: ToolCallId }): Promise<OutsideCall | undefined> {
    const sql = this.#sql;
    const isMeant =
      'toolCallId' in which
        ? sql`tool_call_id = ${which.toolCallId}`
        : sql`principal = ${which.principal} and call_id = ${which.callId}`;
    const [row] = await lookUp(() => sql<Row[]>`${calls(sql)} where ${isMeant}`);
    return row && toCall(row);
  }

  async listCalls(principal: string, { before, limit }: CallPage): Promise<readonly OutsideCall[]> {
    const sql = this.#sql;
    const isOlder = before === undefined ? sql`true` : sql`tool_call_id < ${before}`;
    const rows = await lookUp(
      () => sql<Row[]>`
        ${calls(sql)} where principal = ${principal} and ${isOlder} order by tool_call_id desc limit ${limit}`,
    );
    return rows.map(toCall);
  }
}

/** @throws StoreError `conflict` if there is already a call with this key */
export async function requireFreeKey(sql: Query, call: Append['outsideCall']): Promise<void> {
  if (!call) return;
  const { principal, callId } = call;
  const [taken] = await sql`select 1 from outside_calls where principal = ${principal} and call_id = ${callId}`;
  requireNewCall(call, () => taken !== undefined);
}

export async function addCall(
  sql: Query,
  session: number,
  { principal, callId, toolCallId }: NonNullable<Append['outsideCall']>,
): Promise<void> {
  await sql`insert into outside_calls (principal, call_id, session, tool_call_id)
    values (${principal}, ${callId}, ${session}, ${toolCallId})`;
}

function calls(sql: Sql) {
  return sql`select id, tool_call_id, principal from outside_calls join sessions on sessions.key = session`;
}

function toCall({ id, tool_call_id, principal }: Row): OutsideCall {
  return { sessionId: id, toolCallId: tool_call_id, principal };
}
