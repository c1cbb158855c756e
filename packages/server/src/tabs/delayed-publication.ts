/** Coalesces notifications: publishes once for everything that happens within a time. */
export class DelayedPublication {
  readonly #tell: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  /** Schedules a publication, at the latest in `windowMs`. */
  within(windowMs: number): void {
    this.#timer ??= setTimeout(() => this.now(), windowMs);
  }

  now(): void {
    this.stop();
    this.#tell();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
