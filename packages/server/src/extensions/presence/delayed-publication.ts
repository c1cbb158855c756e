/** Coalesces notifications: publishes once for everything that happens within a time. */
export class DelayedPublication {
  readonly #publish: () => void;
  #timer: NodeJS.Timeout | undefined;
  #hasStopped = false;

  constructor(publish: () => void) {
    this.#publish = publish;
  }

  /** Schedules a publication, at the latest in `windowMs`. */
  within(windowMs: number): void {
    if (!this.#hasStopped) this.#timer ??= setTimeout(() => this.now(), windowMs);
  }

  now(): void {
    this.#clear();
    this.#publish();
  }

  /** Drops what is scheduled; nothing is scheduled any more. */
  stop(): void {
    this.#hasStopped = true;
    this.#clear();
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
