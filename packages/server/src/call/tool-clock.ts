import { longestTimerMs } from '../node/longest-timer.ts';

/** A tool's own time: it stands still while people are being waited for (PLG4). */
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

  /** How much of it has passed. */
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

  /** Time that one timer cannot hold is waited for in pieces. */
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
