import type { PluginStateStore } from '@parleyhq/core';
import type { Logger } from 'pino';
import { ReEntries } from '../call/re-entries.ts';

/** Key of the stored number: it is kept with the state of plugins, under a name that no plugin can have. */
const place = ['$parley', undefined, 'unsteady starts'] as const;

/** Number of starts in a row that ended early after which the next is careful (DUR6). */
const mostUnsteady = 2;

const carefulWords =
  'the last starts ended early: waiting calls stay asleep until something needs them, and each is entered alone';

export interface StartsOptions {
  readonly state: PluginStateStore;
  /** In ms: how long the process must run for the start to count as steady. */
  readonly steadyMs: number;
  readonly log: Logger;
}

/** Counts the starts in a row that ended early. The number is stored before anything else begins, so a kill -9 counts. */
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

  /** Lets calls be entered, now that the server is ready. */
  open(): void {
    this.reEntries.open();
  }

  /** Stops after a request or a failure to listen; a start that was not steady yet is not counted then. */
  async stop(): Promise<void> {
    this.reEntries.stop();
    if (!this.#isSteady) await this.#store(this.#before);
  }

  async #steady(): Promise<void> {
    this.#isSteady = true;
    if (this.reEntries.isCarefulStart) this.#options.log.info('this start is steady: calls are entered as usual again');
    await this.#store(0);
  }

  /** Stores the number. A failure is only logged, because a wrong number costs no more than one careful or one ordinary start. */
  async #store(count: number): Promise<void> {
    const { state, log } = this.#options;
    await state.set(...place, count === 0 ? undefined : count).catch((error: unknown) => {
      log.warn({ error }, 'the number of starts that ended early could not be stored');
    });
  }
}
