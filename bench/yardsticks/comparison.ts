import { median, medianRatio, show } from '../report/stats.ts';
import type { Side } from './stage.ts';

/** Compares the figures of both sides over all rounds, for the cells of a table. */
export class Comparison<Name extends string> {
  readonly #results: Readonly<Record<Side, readonly Readonly<Record<Name, number>>[]>>;

  constructor(results: Readonly<Record<Side, readonly Readonly<Record<Name, number>>[]>>) {
    this.#results = results;
  }

  median(side: Side, name: Name): number {
    return median(this.#values(side, name));
  }

  /** Two cells: the median of the limit and that of Parley. */
  medians(name: Name): readonly string[] {
    return [show(this.median('limit', name)), show(this.median('parley', name))];
  }

  ratio(name: Name): number {
    return medianRatio(this.#values('parley', name), this.#values('limit', name));
  }

  #values(side: Side, name: Name): number[] {
    return this.#results[side].map((result) => result[name]);
  }
}
