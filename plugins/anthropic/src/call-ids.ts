import { randomUUID } from 'node:crypto';
import type { ToolCallId } from '@parleyhq/core';

/** Ids that both the log and the API accept. */
const fit = /^[\w-]{1,180}$/;

/**
 * Assigns an id to each call of a message: the provider's if the log and the API accept it, else a new one. Some providers behind
 * this API number the calls anew in each message, leave ids empty, or use other characters.
 */
export class CallIds {
  readonly #taken: Set<ToolCallId>;
  /** Assigned ids, in the order of the calls. */
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
