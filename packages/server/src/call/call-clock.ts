import { callFaults, type InteractionId, ToolError, toToolError } from '@parleyhq/core';
import { limitTime } from '../node/limit-time.ts';
import type { CallScope } from './call-scope.ts';
import { ToolClock } from './tool-clock.ts';

/** Keeps the time of one call: its tool's own, its hooks', and that of people, which counts for neither (PLG4). */
export class CallClock {
  readonly #limitMs: number;
  readonly #scope: CallScope;
  #tool: ToolClock | undefined;
  #waits = 0;
  #onPause: () => void = () => undefined;

  /** @param limitMs - a tool's own time, and that of each of its hooks */
  constructor(limitMs: number, scope: CallScope) {
    this.#limitMs = limitMs;
    this.#scope = scope;
  }

  /** People are being waited for: nothing runs that a stop would cut off. */
  get isWaiting(): boolean {
    return this.#waits > 0;
  }

  /** Called whenever a wait for people begins, a hook ends, or what ended a wait is handed on: the call may be at rest then. */
  set onPause(onPause: () => void) {
    this.#onPause = onPause;
  }

  look(): void {
    this.#onPause();
  }

  /** The tool runs from now on. @returns a promise that rejects with `tool_timeout` once its own time is over */
  start(): Promise<never> {
    return new Promise((_, reject) => {
      this.#tool = new ToolClock(this.#limitMs, () => {
        reject(callFaults.slowTool(this.#limitMs));
      });
    });
  }

  /** The tool's own time so far, in ms. */
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

  /** @throws ToolError `handler_error` or the hook's own code, `handler_timeout` (INT12) */
  async runHook<T>(interactionId: InteractionId, hook: () => Promise<T>): Promise<T> {
    this.#tool?.pause();
    try {
      return await limitTime(
        this.#limitMs,
        () => this.#scope.within(`hook:${interactionId}`, hook),
        callFaults.slowHook,
      );
    } catch (cause) {
      const { code, message } = toToolError(cause, 'handler_error');
      throw new ToolError(code, message, { cause });
    } finally {
      this.#tool?.resume();
      this.#onPause();
    }
  }
}
