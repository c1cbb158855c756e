import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** How long the loop was held up at most; the meter's own tick of 1 ms is taken off. */
export class LoopMeter {
  #histogram: IntervalHistogram | undefined;

  start(): void {
    this.#histogram = monitorEventLoopDelay({ resolution: 1 });
    this.#histogram.enable();
  }

  /** Milliseconds. */
  stop(): number {
    this.#histogram?.disable();
    return Math.max(0, (this.#histogram?.max ?? 0) / 1e6 - 1);
  }
}
