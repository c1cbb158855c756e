import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError, RefusalError, type WireErrorCode } from '@parleyhq/core';
import { toLine } from '../io/line.ts';
import { NoServerError } from '../running-server/running-server.ts';
import {
  type CallOutcome,
  type CallRef,
  type CallState,
  LostServerError,
  type ServerHttp,
} from '../running-server/server-http.ts';

export interface PatientOptions {
  readonly http: ServerHttp;
  /** Body of the request. Its `callId` makes a repeated request the same call (ASK1). */
  readonly call: object;
  /** Time at which retrying an unreachable server ends, in ms since the epoch. */
  readonly deadline: number;
  /** Aborts when the caller no longer wants the result. */
  readonly interrupt: AbortSignal;
}

/** The longest time that the server holds a waiting request, in s. */
const waitSeconds = 60;
/** Delay of the notice that the call waits, in ms: a call that fails at once should not print it. */
const noticeMs = 250;

const minPauseMs = 100;
const maxPauseMs = 5000;

/** How long to wait, after Ctrl-C, for the result of a call that was already answered, in s. */
const lastWaitSeconds = 10;

/** A call whose result is awaited through restarts of the server (ASK8). */
export class DurableCall {
  readonly #options: PatientOptions;
  #place: CallRef | undefined;
  #isLost = false;

  constructor(options: PatientOptions) {
    this.#options = options;
  }

  /**
   * Makes the call and waits for its outcome.
   * @throws ExitError 3 if the server stays unreachable until the deadline, 4 if it was never reached, 130 after an interrupt
   *   that withdrew the call; otherwise the server's refusal, or an Error if another program listens on its port
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
        const place: CallRef = state;
        const begun = Date.now();
        state = await this.#persist(() => http.wait(place, waitSeconds, interrupt));
        // A server that shuts down ends waiting requests early.
        if (state.status === 'open' && Date.now() - begun < waitSeconds * 500) await this.#pause(0);
      }
      return state;
    } finally {
      clearTimeout(notice);
    }
  }

  /** Repeats the request while its failure may be temporary. */
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

  /** Returns if the error may be temporary. @throws otherwise */
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
      throw new ExitError(3, `${error instanceof NoServerError ? error.fact : error.message} The timeout has passed.`, {
        cause: error,
      });
  }

  async #pause(attempt: number): Promise<void> {
    const { interrupt } = this.#options;
    const ceiling = Math.min(minPauseMs * 2 ** Math.min(attempt, 10), maxPauseMs);
    await sleep(ceiling * (0.5 + Math.random() / 2), undefined, { signal: interrupt });
  }

  /** Withdraws the call; returns its outcome if it was answered meanwhile. @throws ExitError 130 */
  async #withdraw(): Promise<CallOutcome> {
    const { http } = this.#options;
    if (!this.#place) throw new ExitError(130, 'Interrupted. If the server has the question already, it stays open.');
    try {
      const { withdrawn } = await http.withdraw(this.#place, 'Withdrawn at the terminal.');
      if (withdrawn) throw new ExitError(130, 'Withdrawn.');
      const state = await http.wait(this.#place, lastWaitSeconds);
      if (state.status === 'done') return state;
      throw new ExitError(130, 'Interrupted. It was answered, but its result is not available yet.');
    } catch (error) {
      if (error instanceof ExitError) throw error;
      const { message } = error as Error;
      throw new ExitError(130, `${message} The question could not be withdrawn, and stays open.`, { cause: error });
    }
  }
}

/** Refusals that are temporary, once the server has accepted the call. */
const passing: ReadonlySet<WireErrorCode> = new Set([
  'retry_later',
  'rate_limited',
  'storage_full',
  'storage_busy',
  'storage_failed',
]);
