import { randomUUID } from 'node:crypto';
import type { ToolCallId } from '@parleyhq/core';

/** As the log and the API take them. */
const fit = /^[\w-]{1,180}$/;

/**
 * What the calls of a message are called: by the provider's ids where the log and the API take them, else by ids of their own. Providers
 * behind the same API number calls anew in each message, leave ids empty, or write them with other characters.
 */
export class CallIds {
  readonly #taken: Set<ToolCallId>;
  /** In the order of the calls. */
  readonly all: ToolCallId[] = [];

  /** @param taken - ids of the session's earlier calls */
  constructor(taken: ReadonlySet<ToolCallId>) {
    this.#taken = new Set(taken);
  }

  /** @param given - the provider's id of the next call */
  add(given: string): ToolCallId {
    const id = fit.test(given) && !this.#taken.has(given) ? given : randomUUID();
    this.#taken.add(id);
    this.all.push(id);
    return id;
  }
}
