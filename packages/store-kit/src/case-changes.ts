import {
  type ChatEvent,
  type CountedCase,
  type HiddenCall,
  hiddenCallOf,
  reduceCases,
  reduceHiddenCall,
  type ToolCallId,
} from '@parleyhq/core';

/** Finds what a store has counted of a session. */
export interface CountedSession {
  findCase(id: string): CountedCase | undefined;
  findHidden(toolCallId: ToolCallId): HiddenCall | undefined;
}

/** What a store has to put after it has counted some events of a session, in the order of its log (LESS1). */
export class CaseChanges {
  readonly cases = new Map<string, CountedCase>();
  readonly hidden = new Map<ToolCallId, HiddenCall>();
  readonly #stored: CountedSession;

  constructor(stored: CountedSession) {
    this.#stored = stored;
  }

  add(event: ChatEvent): void {
    const find = (id: string) => this.cases.get(id) ?? this.#stored.findCase(id);
    for (const changed of reduceCases(find, event)) this.cases.set(changed.id, changed);
    const toolCallId = hiddenCallOf(event);
    if (toolCallId === undefined) return;
    const call = reduceHiddenCall(this.hidden.get(toolCallId) ?? this.#stored.findHidden(toolCallId), event);
    if (call) this.hidden.set(toolCallId, call);
  }

  /** Returns a case as it is stored, before these changes. */
  findStored(id: string): CountedCase | undefined {
    return this.#stored.findCase(id);
  }
}
