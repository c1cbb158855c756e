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
import { type Database, lookUp, pluck, type Statement } from './database.ts';

/** The channels and calls of outside programs. Calls are added with their events and deleted with their session. */
export class Outside implements OutsideStore {
  readonly #channel: Statement<SessionId>;
  readonly #channels: Statement<SessionId>;
  readonly #call: Statement<OutsideCall>;
  readonly #callById: Statement<OutsideCall>;
  readonly #calls: Statement<OutsideCall>;
  readonly #insert: Statement;

  constructor(db: Database) {
    this.#channel = pluck(db, 'select id from sessions where channel_principal = ? and channel = ?');
    this.#channels = pluck(
      db,
      'select id from sessions where channel_principal = ? and channel is not null order by key',
    );
    const call =
      'select id as sessionId, tool_call_id as toolCallId, principal from outside_calls join sessions on key = session';
    this.#call = db.prepare(`${call} where principal = ? and call_id = ?`);
    this.#callById = db.prepare(`${call} where tool_call_id = ?`);
    this.#calls = db.prepare(
      `${call} where principal = ? and tool_call_id < coalesce(?, 'z') order by tool_call_id desc limit ?`,
    );
    this.#insert = db.prepare(
      'insert into outside_calls (principal, call_id, session, tool_call_id) values (?, ?, ?, ?)',
    );
  }

  async findChannel({ principal, name }: Channel): Promise<SessionId | undefined> {
    return lookUp(() => this.#channel.get(principal, name));
  }

  async channelsOf(principal: string): Promise<readonly SessionId[]> {
    return lookUp(() => this.#channels.all(principal));
  }

  async findCall(which: CallKey | { toolCallId: ToolCallId }): Promise<OutsideCall | undefined> {
    return lookUp(() =>
      'toolCallId' in which ? this.#callById.get(which.toolCallId) : this.#call.get(which.principal, which.callId),
    );
  }

  async listCalls(principal: string, { before, limit }: CallPage): Promise<readonly OutsideCall[]> {
    return lookUp(() => this.#calls.all(principal, before ?? null, limit));
  }

  /** Whether a call with this key exists. */
  has({ principal, callId }: CallKey): boolean {
    return this.#call.get(principal, callId) !== undefined;
  }

  /** Must be called inside a write transaction. */
  add(sessionKey: number, { principal, callId, toolCallId }: NonNullable<Append['outsideCall']>): void {
    this.#insert.run(principal, callId, sessionKey, toolCallId);
  }
}
