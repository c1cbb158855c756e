import type { PluginStateStore } from '@parleyhq/core';
import type { Logger } from 'pino';
import { ReEntries } from '../call/re-entries.ts';

/** Where the number stands: beside the state of plugins, under a name that none of them has. */
const place = ['$parley', undefined, 'unsteady starts'] as const;

/** After this many starts in a row that did not live, the next is careful (DUR6). */
const mostUnsteady = 2;

const carefulWords =
  'the last starts ended before they had lived for long: calls that wait are left asleep until something needs them, and each is entered alone';

export interface StartsOptions {
  readonly state: PluginStateStore;
  /** In ms: how long a start must live to count as one that did. */
  readonly steadyMs: number;
  readonly log: Logger;
}

/** How many starts in a row ended before they had lived for a while. The number is stored before anything else is begun: kill -9 counts. */
export class Starts {
  readonly reEntries: ReEntries;
  readonly #options: StartsOptions;
  #before = 0;
  #isSteady = false;

  constructor(options: StartsOptions) {
    this.#options = options;
    this.reEntries = new ReEntries({ steadyMs: options.steadyMs, onSteady: () => void this.#steady() });
  }

  async begin(): Promise<void> {
    const { state, log } = this.#options;
    this.#before = Number((await state.get(...place)) ?? 0);
    await this.#store(this.#before + 1);
    const isCareful = this.#before >= mostUnsteady;
    if (isCareful) log.warn({ starts: this.#before }, carefulWords);
    this.reEntries.begin(isCareful);
  }

  /** The server is ready. */
  open(): void {
    this.reEntries.open();
  }

  /** It was asked to stop, or could not listen: if it has not lived for long, it is as if it had not been. */
  async stop(): Promise<void> {
    this.reEntries.stop();
    if (!this.#isSteady) await this.#store(this.#before);
  }

  async #steady(): Promise<void> {
    this.#isSteady = true;
    if (this.reEntries.isCarefulStart) this.#options.log.info('this start has lived: calls are entered as usual again');
    await this.#store(0);
  }

  /** A number that is wrong costs a careful start, or one more ordinary one. */
  async #store(count: number): Promise<void> {
    const { state, log } = this.#options;
    await state.set(...place, count === 0 ? undefined : count).catch((error: unknown) => {
      log.warn({ error }, 'how many starts ended early could not be stored');
    });
  }
}
