import type { Stage, StageClock } from './stage.ts';

/** Measures a tool's own time by the clock of its stage; paused while the tool waits for others (PLG4). */
export class OwnTime implements StageClock {
  readonly #stage: Stage;
  readonly #onElapsed: () => void;
  #leftMs: number;
  #startedAt: number;
  #pauses = 0;

  /** Starts the clock. @param ms - time limit @param onElapsed - called when it has elapsed */
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

  /** Called when the stage's time reaches `nextAt`. */
  pass(): void {
    this.stop();
    this.#onElapsed();
  }
}
