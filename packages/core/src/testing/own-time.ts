import type { Stage, StageClock } from './stage.ts';

/** A tool's own time by the clock of its stage: it stands still while others are waited for (PLG4). */
export class OwnTime implements StageClock {
  readonly #stage: Stage;
  readonly #onElapsed: () => void;
  #leftMs: number;
  #startedAt: number;
  #pauses = 0;

  /** It runs from now on. @param ms - how long it may last @param onElapsed - called once it is over */
  constructor(stage: Stage, ms: number, onElapsed: () => void) {
    this.#stage = stage;
    this.#onElapsed = onElapsed;
    this.#leftMs = ms;
    this.#startedAt = stage.now;
    stage.addClock(this);
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses === 1) this.#leftMs -= this.#stage.now - this.#startedAt;
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#startedAt = this.#stage.now;
  }

  stop(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
  }

  nextAt(): number | undefined {
    return this.#pauses > 0 ? undefined : this.#startedAt + this.#leftMs;
  }

  /** The stage has come to `nextAt`. */
  pass(): void {
    this.stop();
    this.#onElapsed();
  }
}
