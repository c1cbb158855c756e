import { longestTimerMs } from '../node/longest-timer.ts';

/** Measures a tool's own time, paused while it waits for people (PLG4). */
export class ToolClock {
  readonly #onElapsed: () => void;
  readonly #limitMs: number;
  #leftMs: number;
  #startedAt = 0;
  #pauses = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onElapsed: () => void) {
    this.#limitMs = ms;
    this.#leftMs = ms;
    this.#onElapsed = onElapsed;
    this.#run();
  }

  /** Time used so far, in ms. */
  get usedMs(): number {
    const running = this.#pauses === 0 ? performance.now() - this.#startedAt : 0;
    return this.#limitMs - this.#leftMs + running;
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#startedAt;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#run();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#pauses = Number.POSITIVE_INFINITY;
  }

  /** Continues with another timer if the time exceeds the limit of one. */
  #elapse(ms: number): void {
    this.#leftMs -= ms;
    if (this.#leftMs > 0) this.#run();
    else this.#onElapsed();
  }

  #run(): void {
    this.#startedAt = performance.now();
    const ms = Math.max(0, Math.min(this.#leftMs, longestTimerMs));
    this.#timer = setTimeout(() => this.#elapse(ms), ms);
  }
}
