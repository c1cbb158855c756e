import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** Measures the longest time that the event loop was blocked, without the meter's own tick of 1 ms. */
export class LoopMeter {
  #histogram: IntervalHistogram | undefined;

  start(): void {
    this.#histogram = monitorEventLoopDelay({ resolution: 1 });
    this.#histogram.enable();
  }

  /** @returns the longest time, in ms */
  stop(): number {
    this.#histogram?.disable();
    return Math.max(0, (this.#histogram?.max ?? 0) / 1e6 - 1);
  }
}
