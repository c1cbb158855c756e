interface Waiting {
  readonly cost: number;
  readonly work: () => void;
}

/**
 * Spreads work over frames, so that it does not block the page. The newest work runs first, because that is where the reader is.
 */
export class FrameBudget {
  readonly #share: number;
  readonly #nextFrame: (run: () => void) => void;
  readonly #waiting: Waiting[] = [];
  #left: number;

  /** @param share - the budget of a frame; work that costs more gets a frame of its own */
  constructor(share: number, nextFrame: (run: () => void) => void) {
    this.#share = share;
    this.#left = share;
    this.#nextFrame = nextFrame;
  }

  /** Runs the work at once if this frame has budget left, otherwise in one of the next. */
  run(cost: number, work: () => void): void {
    this.#waiting.push({ cost, work });
    if (this.#left === this.#share) this.#nextFrame(() => this.#begin());
    this.#spend();
  }

  #begin(): void {
    this.#left = this.#share;
    if (this.#waiting.length > 0) this.#nextFrame(() => this.#begin());
    this.#spend();
  }

  #spend(): void {
    for (let last = this.#waiting.at(-1); last && this.#hasRoom(last); last = this.#waiting.at(-1)) {
      this.#waiting.pop();
      this.#left -= last.cost;
      last.work();
    }
  }

  #hasRoom({ cost }: Waiting): boolean {
    return cost <= this.#left || this.#left === this.#share;
  }
}
