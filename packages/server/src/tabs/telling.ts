/** Something that is told once for all that happens within a time, not for each. */
export class Telling {
  readonly #tell: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: () => void) {
    this.#tell = tell;
  }

  /** There is something to tell, in `windowMs` at the latest. */
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
