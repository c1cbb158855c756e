import { callFaults, ToolError, toToolError } from '@parleyhq/core';
import type { Clock } from '../node/clock.ts';
import { limitTime } from '../node/limit-time.ts';
import type { CallScope } from './call-scope.ts';
import { ToolClock } from './tool-clock.ts';

/** Measures the time of one call: its tool's and its hooks', without the time spent waiting for people (PLG4). */
export class CallClock {
  readonly #limitMs: number;
  readonly #scope: CallScope;
  readonly #clock: Clock;
  #tool: ToolClock | undefined;
  #waits = 0;
  #onPause: () => void = () => undefined;

  /** @param limitMs - time allowed to the tool, and to each of its hooks */
  constructor(limitMs: number, scope: CallScope, clock: Clock) {
    this.#limitMs = limitMs;
    this.#scope = scope;
    this.#clock = clock;
  }

  /** Whether the call waits for people: then a stop interrupts no code. */
  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  /** Number of waits for people. */
  get waits(): number {
    return this.#waits;
  }

  /** Called when a wait for people begins, a hook ends, or the outcome of a wait was passed on: the call may then be at rest. */
  set onPause(onPause: () => void) {
    this.#onPause = onPause;
  }

  look(): void {
    this.#onPause();
  }

  /** Starts the tool's time. @returns a promise that rejects with `tool_timeout` once the time is used up */
  start(): Promise<never> {
    return new Promise((_, reject) => {
      const onElapsed = () => reject(callFaults.slowTool(this.#limitMs));
      this.#tool = new ToolClock(this.#limitMs, onElapsed, this.#clock);
    });
  }

  /** Time used by the tool so far, in ms. */
  get ownMs(): number {
    return this.#tool?.usedMs ?? 0;
  }

  stop(): void {
    this.#tool?.stop();
  }

  async waitForPeople<T>(settlement: Promise<T>): Promise<T> {
    this.#tool?.pause();
    this.#waits += 1;
    this.#onPause();
    try {
      return await settlement;
    } finally {
      this.#waits -= 1;
      this.#tool?.resume();
    }
  }

  /**
   * Runs a hook that decides what becomes of a wait: the tool's own time stands still.
   * @param name - of the scope in which the hook's steps are counted
   * @throws ToolError with the hook's own code, `handler_error`, or `handler_timeout` (INT12)
   */
  async runHook<T>(name: string, hook: () => Promise<T>): Promise<T> {
    this.#tool?.pause();
    try {
      return await this.runAside(name, hook);
    } finally {
      this.#tool?.resume();
      this.#onPause();
    }
  }

  /** Runs a hook while the call waits, or goes on. @throws ToolError as `runHook` */
  async runAside<T>(name: string, hook: () => Promise<T>): Promise<T> {
    try {
      const run = () => this.#scope.within(name, hook);
      return await limitTime(this.#limitMs, run, callFaults.slowHook, this.#clock);
    } catch (cause) {
      const { code, message } = toToolError(cause, 'handler_error');
      throw new ToolError(code, message, { cause });
    } finally {
      this.#onPause();
    }
  }
}
