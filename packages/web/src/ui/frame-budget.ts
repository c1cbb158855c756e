interface Waiting {
  readonly cost: number;
  readonly work: () => void;
}

/** Spreads work over frames, so that much of it does not hold the page. What came last goes first: there the reader is. */
export class FrameBudget {
  readonly #share: number;
  readonly #nextFrame: (run: () => void) => void;
  readonly #waiting: Waiting[] = [];
  #left: number;

  /** @param share - what a frame may cost; more costly work has a frame of its own */
  constructor(share: number, nextFrame: (run: () => void) => void) {
    this.#share = share;
    this.#left = share;
    this.#nextFrame = nextFrame;
  }

  /** Does the work at once where this frame has room for it, or in one of the next. */
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
