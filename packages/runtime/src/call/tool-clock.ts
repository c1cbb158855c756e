import { systemClock } from '../node/clock.ts';

/** Measures a tool's own time, paused while it waits for people (PLG4). */
export class ToolClock {
  readonly #onElapsed: () => void;
  readonly #limitMs: number;
  readonly #clock: typeof systemClock;
  #leftMs: number;
  #startedAt = 0;
  #pauses = 0;
  #cancel: () => void = () => undefined;

  constructor(ms: number, onElapsed: () => void, clock = systemClock) {
    this.#limitMs = ms;
    this.#leftMs = ms;
    this.#onElapsed = onElapsed;
    this.#clock = clock;
    this.#run();
  }

  /** Time used so far, in ms. */
  get usedMs(): number {
    const running = this.#pauses === 0 ? this.#clock.elapsed() - this.#startedAt : 0;
    return this.#limitMs - this.#leftMs + running;
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses > 1) return;
    this.#cancel();
    this.#leftMs -= this.#clock.elapsed() - this.#startedAt;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#run();
  }

  stop(): void {
    this.#cancel();
    this.#pauses = Number.POSITIVE_INFINITY;
  }

  #run(): void {
    this.#startedAt = this.#clock.elapsed();
    this.#cancel = this.#clock.after(this.#leftMs, this.#onElapsed);
  }
}
