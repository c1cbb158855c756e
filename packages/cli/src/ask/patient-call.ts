import { setTimeout as sleep } from 'node:timers/promises';
import { RefusalError, type WireErrorCode } from '@parleyhq/core';
import { ExitError } from '../io/exit-error.ts';
import { toLine } from '../io/line.ts';
import { NoServerError } from '../running-server/running-server.ts';
import {
  type CallOutcome,
  type CallPlace,
  type CallState,
  LostServerError,
  type ServerHttp,
} from '../running-server/server-http.ts';

export interface PatientOptions {
  readonly http: ServerHttp;
  /** With a `callId`, by which a repeat is the same call (ASK1). */
  readonly call: object;
  /** When a server that is gone is given up, in ms since the epoch. */
  readonly deadline: number;
  /** Aborts when the caller is not interested any more. */
  readonly interrupt: AbortSignal;
}

/** The longest that the server lets a request wait, in s. */
const waitSeconds = 60;
/** A call that fails at once waits for nobody, and is not said to, in ms. */
const noticeMs = 250;

const minPauseMs = 100;
const maxPauseMs = 5000;

/** How long after a Ctrl-C an answer that is on its way is waited for, in s. */
const lastWaitSeconds = 10;

/** A call that is waited for through restarts of the server (ASK8). */
export class PatientCall {
  readonly #options: PatientOptions;
  #place: CallPlace | undefined;
  #isLost = false;

  constructor(options: PatientOptions) {
    this.#options = options;
  }

  /**
   * What the call came to.
   * @throws ExitError 3 where the server stays away until the deadline, 4 where none was there, 130 after an interrupt that withdrew
   *   the call; else what the server refused, or who listens in its place
   */
  async settle(): Promise<CallOutcome> {
    try {
      return await this.#settle();
    } catch (error) {
      if (!this.#options.interrupt.aborted) throw error;
      return this.#withdraw();
    }
  }

  async #settle(): Promise<CallOutcome> {
    const { http, call, interrupt } = this.#options;
    let state = await this.#persist(() => http.begin(call));
    this.#place = state;
    if (state.status === 'done') return state;
    const words = toLine(`Waiting for an answer at ${state.url}`);
    const notice = setTimeout(() => process.stderr.write(words), noticeMs);
    try {
      while (state.status === 'open') {
        const place: CallPlace = state;
        const begun = Date.now();
        state = await this.#persist(() => http.wait(place, waitSeconds, interrupt));
        // A server that stops ends waits early.
        if (state.status === 'open' && Date.now() - begun < waitSeconds * 500) await this.#pause(0);
      }
      return state;
    } finally {
      clearTimeout(notice);
    }
  }

  /** Tries again as long as that may help. */
  async #persist(request: () => Promise<CallState>): Promise<CallState> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const state = await request();
        this.#isLost = false;
        return state;
      } catch (error) {
        this.#require(error);
        if (!this.#isLost)
          process.stderr.write(
            toLine(`${error instanceof NoServerError ? error.fact : (error as Error).message} Trying again.`),
          );
        this.#isLost = true;
      }
      await this.#pause(attempt);
    }
  }

  /** @throws what does not pass */
  #require(error: unknown): void {
    const { deadline, interrupt } = this.#options;
    if (interrupt.aborted) throw error;
    const hasBegun = this.#place !== undefined || this.#isLost;
    if (error instanceof NoServerError) {
      const isNobody = !(hasBegun || error instanceof LostServerError);
      if (isNobody) throw new ExitError(4, error.message, { cause: error });
    } else if (!(hasBegun && error instanceof RefusalError && passing.has(error.code))) {
      throw error;
    }
    if (Date.now() >= deadline)
      throw new ExitError(
        3,
        `${error instanceof NoServerError ? error.fact : error.message} The time to answer is over.`,
        { cause: error },
      );
  }

  async #pause(attempt: number): Promise<void> {
    const { interrupt } = this.#options;
    const ceiling = Math.min(minPauseMs * 2 ** Math.min(attempt, 10), maxPauseMs);
    await sleep(ceiling * (0.5 + Math.random() / 2), undefined, { signal: interrupt });
  }

  /** Takes the call back; if it was answered meanwhile, that counts. @throws ExitError 130 */
  async #withdraw(): Promise<CallOutcome> {
    const { http } = this.#options;
    if (!this.#place) throw new ExitError(130, 'Interrupted. If the server has the question already, it stays open.');
    try {
      const { withdrawn } = await http.withdraw(this.#place, 'Withdrawn at the terminal.');
      if (withdrawn) throw new ExitError(130, 'Withdrawn.');
      const state = await http.wait(this.#place, lastWaitSeconds);
      if (state.status === 'done') return state;
      throw new ExitError(130, 'Interrupted. It was answered, and its result is not there yet.');
    } catch (error) {
      if (error instanceof ExitError) throw error;
      const { message } = error as Error;
      throw new ExitError(130, `${message} The question could not be withdrawn, and stays open.`, { cause: error });
    }
  }
}

/** Refusals that pass once the server has taken the call. */
const passing: ReadonlySet<WireErrorCode> = new Set([
  'retry_later',
  'rate_limited',
  'storage_full',
  'storage_busy',
  'storage_failed',
]);
