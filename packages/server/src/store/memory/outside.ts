import type {
  Append,
  CallKey,
  CallPage,
  Channel,
  OutsideCall,
  OutsideStore,
  Session,
  SessionId,
  ToolCallId,
} from '@parleyhq/core';

type Sessions = ReadonlyMap<SessionId, { readonly session: Session }>;

/** The channels and calls of programs outside, in memory. */
export class MemoryOutside implements OutsideStore {
  readonly #sessions: Sessions;
  readonly #calls = new Map<string, OutsideCall>();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  async findChannel({ principal, name }: Channel): Promise<SessionId | undefined> {
    return this.#ofPrincipal(principal).find(({ session }) => session.channel?.name === name)?.session.id;
  }

  async channelsOf(principal: string): Promise<readonly SessionId[]> {
    return this.#ofPrincipal(principal).map(({ session }) => session.id);
  }

  async findCall(which: CallKey | { toolCallId: ToolCallId }): Promise<OutsideCall | undefined> {
    if (!('toolCallId' in which)) return this.#calls.get(nameOf(which));
    return [...this.#calls.values()].find(({ toolCallId }) => toolCallId === which.toolCallId);
  }

  async listCalls(principal: string, { before, limit }: CallPage): Promise<readonly OutsideCall[]> {
    const own = [...this.#calls.values()].filter((call) => call.principal === principal);
    const older = own.filter(({ toolCallId }) => before === undefined || toolCallId < before);
    return older.sort((a, b) => (a.toolCallId < b.toolCallId ? 1 : -1)).slice(0, limit);
  }

  has(key: CallKey): boolean {
    return this.#calls.has(nameOf(key));
  }

  /** Call within a write. */
  add(sessionId: SessionId, { toolCallId, ...key }: NonNullable<Append['outsideCall']>): void {
    this.#calls.set(nameOf(key), { sessionId, toolCallId, principal: key.principal });
  }

  /** Call within a write. */
  dropSession(id: SessionId): void {
    for (const [name, { sessionId }] of this.#calls) if (sessionId === id) this.#calls.delete(name);
  }

  #ofPrincipal(principal: string) {
    return [...this.#sessions.values()].filter(({ session }) => session.channel?.principal === principal);
  }
}

function nameOf({ principal, callId }: CallKey): string {
  return JSON.stringify([principal, callId]);
}
