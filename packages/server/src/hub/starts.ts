import type { PluginStateStore } from '@parleyhq/core';
import type { Logger } from 'pino';

/** Where the number stands: beside the state of plugins, under a name that none of them has. */
const place = ['$parley', undefined, 'unsteady starts'] as const;

/** After this many starts in a row that did not live, the next is careful (DUR6). */
const mostUnsteady = 2;

/** How many starts in a row ended before they had lived for a while. The number is stored before anything else is begun: kill -9 counts. */
export class Starts {
  readonly #state: PluginStateStore;
  readonly #log: Logger;
  #before = 0;
  #isSteady = false;

  constructor(state: PluginStateStore, log: Logger) {
    this.#state = state;
    this.#log = log;
  }

  /** @returns whether this start is a careful one */
  async begin(): Promise<boolean> {
    this.#before = Number((await this.#state.get(...place)) ?? 0);
    await this.#set(this.#before + 1);
    return this.#before >= mostUnsteady;
  }

  /** This start has lived. */
  async steady(): Promise<void> {
    this.#isSteady = true;
    await this.#set(0);
  }

  /** It was asked to stop: it is as if it had not been. */
  async leave(): Promise<void> {
    if (!this.#isSteady) await this.#set(this.#before);
  }

  /** A number that is wrong costs a careful start, or one more ordinary one. */
  async #set(count: number): Promise<void> {
    await this.#state.set(...place, count === 0 ? undefined : count).catch((error: unknown) => {
      this.#log.warn({ error }, 'how many starts ended early could not be stored');
    });
  }
}
