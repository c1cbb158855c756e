import {
  type ChatEvent,
  callKey,
  type Json,
  type ResponseId,
  type Seq,
  type SessionId,
  type Store,
  type ToolCallId,
} from '@parleyhq/core';

/** Keys of the records stored with a message: its agent's own record, and the cost of the turn so far. */
export const recordKeys = { message: 'message', usage: 'usage' } as const;

/** Reads the log and records of a turn's session. */
export class TurnLog {
  readonly #store: Pick<Store, 'events' | 'index'>;
  readonly #sessionId: SessionId;

  constructor(store: Pick<Store, 'events' | 'index'>, sessionId: SessionId) {
    this.#store = store;
    this.#sessionId = sessionId;
  }

  async read(afterSeq: Seq = 0): Promise<readonly ChatEvent[]> {
    const events: ChatEvent[] = [];
    for await (const texts of this.#store.events.read(this.#sessionId, afterSeq))
      for (const text of texts) events.push(JSON.parse(text));
    return events;
  }

  /** Returns one of these ids that is already used by a call in the log. */
  async findCall(ids: readonly ToolCallId[]): Promise<ToolCallId | undefined> {
    const [text] = await this.#store.index.find(this.#sessionId, ...ids.map(callKey));
    return text === undefined ? undefined : (JSON.parse(text) as ChatEvent<'tool_call'>).payload.toolCallId;
  }

  /** Returns a record that an agent stored with a message. */
  async readRecord(messageId: ResponseId, wanted: keyof typeof recordKeys): Promise<Json | undefined> {
    const records = await this.#store.index.records(this.#sessionId, messageId);
    return records.find(({ key }) => key === recordKeys[wanted])?.value;
  }
}
