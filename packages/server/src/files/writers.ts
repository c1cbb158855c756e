import { OneByOne } from '../node/one-by-one.ts';

/** Who is at which upload at this moment: one at a time, and the newest one counts, for an older connection may be lost without a word. */
export class Writers {
  readonly #stops = new Map<string, () => void>();
  readonly #oneByOne = new OneByOne();

  /**
   * Stops whoever is at an upload, and does `work` with it once they have left.
   * @param stop - ends the work early, where it can be
   * @throws what the work throws
   */
  run<T>(fileId: string, work: () => Promise<T>, stop: () => void = () => undefined): Promise<T> {
    this.#stops.get(fileId)?.();
    this.#stops.set(fileId, stop);
    return this.#oneByOne.run(fileId, work).finally(() => {
      if (this.#stops.get(fileId) === stop) this.#stops.delete(fileId);
    });
  }
}
